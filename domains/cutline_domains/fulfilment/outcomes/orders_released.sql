-- Which orders is the warehouse working on? Released, and neither completed nor cancelled.
SELECT subject, 'released' AS value
FROM state_customer_order
WHERE status = 'released'
