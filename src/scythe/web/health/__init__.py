"""The health of a site."""
