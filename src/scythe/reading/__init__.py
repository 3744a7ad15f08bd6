"""Read one page without having learned its site: main text, lists, attributes and images."""
