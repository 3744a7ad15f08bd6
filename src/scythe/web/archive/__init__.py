"""Search the archive and show documents and records."""
