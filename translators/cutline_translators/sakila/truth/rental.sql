-- One row per rental of the region, with all that the till booked on it, whoever paid.
-- A region is the store that the copy belongs to, or 'all'.
-- An amount is a text such as 2.99 or a number of two decimals, below 1,000: rounded to cents, it
-- is exact.
SELECT
  CAST(r.rental_id AS varchar) AS subject,
  CASE WHEN r.return_date IS NULL THEN 'out' ELSE 'returned' END AS status,
  CAST(r.customer_id AS integer) AS customer_no,
  CAST(r.inventory_id AS integer) AS copy_no,
  CAST(i.film_id AS integer) AS film_no,
  CAST(i.store_id AS integer) AS store_no,
  r.rental_date AS started_at,
  r.return_date AS returned_at,
  coalesce(p.payments, 0) AS payments,
  coalesce(p.paid_cents, 0) AS paid_cents
FROM sakila.rental r
LEFT JOIN sakila.inventory i ON i.inventory_id = r.inventory_id
LEFT JOIN (
  SELECT
    rental_id,
    count(*) AS payments,
    sum(CAST(round(CAST(amount AS numeric) * 100) AS integer)) AS paid_cents
  FROM sakila.payment
  GROUP BY rental_id
) p ON p.rental_id = r.rental_id
WHERE :region = 'all' OR CAST(i.store_id AS varchar) = :region
