"""Teach a site: pages, examples and labels come in, a profile that knows more goes out."""
