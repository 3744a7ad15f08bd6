"""The JSON interface, described for people."""
