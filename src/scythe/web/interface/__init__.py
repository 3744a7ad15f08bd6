"""The documentation of the JSON interface."""
