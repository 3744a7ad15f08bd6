"""When to look at a list again: what visits saw comes in, the next visit with its risk goes out."""
