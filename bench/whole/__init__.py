"""Everything that `scythe bench` measures, in one run: a folder of data comes in, tables, charts and floors go out."""
