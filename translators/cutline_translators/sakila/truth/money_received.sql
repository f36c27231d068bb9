-- Cents that the till booked on each rental of the region, whoever paid; 0 without any payment.
SELECT
  CAST(r.rental_id AS varchar) AS subject,
  coalesce(sum(CAST(round(CAST(p.amount AS numeric) * 100) AS integer)), 0) AS value
FROM sakila.rental r
LEFT JOIN sakila.inventory i ON i.inventory_id = r.inventory_id
LEFT JOIN sakila.payment p ON p.rental_id = r.rental_id
WHERE :region = 'all' OR CAST(i.store_id AS varchar) = :region
GROUP BY r.rental_id
