"""The retail estate: ERP, shop, stores, warehouse, finance, and what their rows mean."""
