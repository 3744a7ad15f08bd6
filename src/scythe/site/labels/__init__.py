"""Labels of images: files of them, people who disagree, and what a site learns from them."""
