"""Documents as Arrow tables and tables as documents: what pandas, Polars, DuckDB and Parquet files hold and take."""

from scythe.tables.builder import TableBuilder
from scythe.tables.schemas import documents_schema, images_schema, records_schema

__all__ = ["TableBuilder", "documents_schema", "images_schema", "records_schema"]
