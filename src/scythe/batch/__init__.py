"""Extract from archives of pages on disk: WARC and HTML files come in, Parquet files go out."""
