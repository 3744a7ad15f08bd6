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

learned = scythe.Site.load("site.json")
learned.extract(42)  # wrong
learned.extract(b"", via="guess")  # wrong
scythe.Site.learn(["<p>"])  # wrong
scythe.Site.learn([], [{"price": 12}])  # wrong
learned.fields  # noqa: B018  # wrong

scythe.read_lists("<p>", "https://example.org/", "mdr")  # wrong
scythe.read("<p>").lists[0].records[0].fields = ()  # wrong
scythe.read("<p>").paging.following  # noqa: B018  # wrong
