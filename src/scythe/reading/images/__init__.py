"""Page -> the images that belong to its content."""
