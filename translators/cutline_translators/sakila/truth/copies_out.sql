-- The copy of each rental of the region that nobody has brought back.
SELECT
  CAST(r.rental_id AS varchar) AS subject,
  CAST(r.inventory_id AS integer) AS value
FROM sakila.rental r
LEFT JOIN sakila.inventory i ON i.inventory_id = r.inventory_id
WHERE r.return_date IS NULL
  AND (:region = 'all' OR CAST(i.store_id AS varchar) = :region)
