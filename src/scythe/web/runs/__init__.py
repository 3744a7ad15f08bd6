"""Start, pause and follow crawls and watches."""
