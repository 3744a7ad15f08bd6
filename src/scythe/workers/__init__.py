"""Crawl and watch with many workers on one PostgreSQL archive."""
