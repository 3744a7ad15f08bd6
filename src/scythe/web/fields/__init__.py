"""Pick fields with clicks."""
