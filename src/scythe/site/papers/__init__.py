"""Published methods for learned sites under their own names."""
