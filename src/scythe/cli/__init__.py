"""The command line: one verb per capability."""
