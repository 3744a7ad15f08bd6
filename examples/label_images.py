"""Teach a site which images you want with labels for a few pages; no image is downloaded."""

import scythe
from scythe.demo import site as demo_site

pages = [page for page in demo_site(pages=90) if page.kind == "product"]
shown, other = pages[:4], pages[4]
site = scythe.Site.learn([(page.url, page.html) for page in shown], fields=["title", "images"])


def wanted(page):
    """Stand in for a person: of a product, its photo and those of its gallery."""
    return [image.src for image in scythe.read(page.html, page.url).images if "/img/shop/" in image.src]


labels = {page.url: wanted(page) for page in shown}
taught = site.annotate(labels, [(page.url, page.html) for page in shown], by="Ann")
print("labels that belong to no image:", len(taught.lost))

doc = site.extract(other.html, url=other.url)
found = [image.src for image in doc.images if image.relevant]
print(len(found) > 1, found == wanted(other))

# Prints:
# labels that belong to no image: 0
# True True
