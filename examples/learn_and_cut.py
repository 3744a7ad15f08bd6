"""Learn a site from a few of its pages, then cut the same fields out of the bytes of the others."""

import tempfile
from pathlib import Path

import scythe
from scythe.demo import site as demo_site

# invented product pages, whose right titles are known
pages = [page for page in demo_site(pages=120) if page.kind == "product"]
shown, others = pages[:5], pages[5:]

# a field by itself (title), and one by example: what a person would copy from the first page, here taken by a method
price = dict(scythe.read(shown[0].html).attributes)["price"]
examples = [{"price": [price]}, None, None, None, None]  # None: nobody looked
site = scythe.Site.learn([(page.url, page.html) for page in shown], examples, fields=["title"])

with tempfile.TemporaryDirectory() as folder:  # a profile is a JSON file that runs nothing
    site.save(Path(folder) / "shop.json")
    site = scythe.Site.load(Path(folder) / "shop.json")

docs = [site.extract(page.html, url=page.url) for page in others]
right = sum(doc.fields["title"].values == (page.gold_title,) for doc, page in zip(docs, others, strict=True))
cut = sum(doc.fields["title"].how.startswith("cut") for doc in docs)
print(f"{len(others)} pages: {right} right, {cut} cut")
print(docs[0].title, docs[0].fields["price"].values, docs[0].fields["price"].how)

# Prints:
# 5 pages: 5 right, 5 cut
# ... ('...',) cut: ...
