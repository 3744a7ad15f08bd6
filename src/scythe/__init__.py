"""Harvest web sites: read first pages with the tree, learn them, then cut the same things out of raw bytes."""
