"""Cut without the compiled module: the same functions, in Python."""
