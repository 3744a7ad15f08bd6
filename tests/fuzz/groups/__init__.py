"""Fuzz targets by what they read; the name of a target begins with the name of its module."""
