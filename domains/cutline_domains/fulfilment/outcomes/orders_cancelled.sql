-- Which orders are cancelled?
SELECT subject, 'cancelled' AS value
FROM state_customer_order
WHERE status = 'cancelled'
