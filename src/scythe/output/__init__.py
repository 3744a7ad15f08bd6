"""Write documents, records and archives to files, tables and feeds."""
