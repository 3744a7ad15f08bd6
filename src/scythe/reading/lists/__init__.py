"""Read what a page lists: a page comes in, regions of records, attribute-value pairs and paging go out."""
