"""Mistakes that a type check must find: every line that ends in `# wrong`, and no other."""

import scythe
from scythe.fetch import FetchOptions, fetch

scythe.read(42)  # wrong
scythe.read("<p>", method=3)  # wrong
scythe.read("<p>", None, "auto")  # wrong
scythe.read("<p>", options={"captions": False})  # wrong
scythe.TextOptions(caption=True)  # wrong

doc = scythe.read("<p>text</p>")
doc.title = "frozen"  # wrong
doc.txt  # noqa: B018  # wrong
length: int = doc.text  # wrong

fetch("https://example.org/", FetchOptions())  # wrong
FetchOptions(timeout_s="60")  # wrong
