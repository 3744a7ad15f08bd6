"""Pages to documents, for programs."""
