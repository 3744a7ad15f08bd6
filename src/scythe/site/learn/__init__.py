"""Learn a site: pages and what was read of them come in, a profile of rules goes out."""
