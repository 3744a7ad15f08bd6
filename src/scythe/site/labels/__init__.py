"""Labels of relevant images: files, matching, several annotators, learning, and suggesting pages to label."""
