"""Mark relevant images with clicks."""
