"""Search the archive and look at documents and records."""
