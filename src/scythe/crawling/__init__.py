"""Crawl a site politely into an archive."""
