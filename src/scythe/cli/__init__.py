"""The `scythe` command line, one module per verb."""
