"""Read what a page says of its subject: names with values, prices, structured data."""
