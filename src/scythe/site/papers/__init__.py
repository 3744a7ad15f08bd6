"""The published methods for learned sites, under their own names."""
