"""Find the lists, tables and threads of a page, align their records in columns, and find further pages."""
