"""Crawl a site: an address comes in, its pages go out and into an archive, politely and each once."""
