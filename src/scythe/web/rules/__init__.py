"""The rules of a learned site."""
