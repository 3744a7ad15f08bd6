"""Look at what was learned of a site."""
