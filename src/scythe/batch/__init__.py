"""Extract WARC and HTML files into Parquet tables, on all cores or a Ray cluster."""
