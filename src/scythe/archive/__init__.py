"""The archive: frontier, pages and versions, records, search and watches, in SQLite or PostgreSQL."""
