"""Show saved pages safely."""
