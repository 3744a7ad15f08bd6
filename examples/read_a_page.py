"""Read one page: title, author, text and the pictures that belong to it."""

from pathlib import Path

import scythe

page = Path(__file__).with_name("harvest.html").read_bytes()  # bytes as a server sent them: scythe finds the encoding
doc = scythe.read(page, url="https://demo.scythe.example/harvest.html")

print(doc.title)
print("by", doc.metadata.author, "on", doc.metadata.published)
print(doc.text.splitlines()[0])
for image in doc.images:
    if image.relevant:  # no logo, no teaser, no advertisement
        print(image.src, "-", image.caption)

# Prints:
# Late rain saves the barley harvest around Harrowby
# by Owen Farrow on 2026-08-01
# Growers around Harrowby have begun to bring in the barley, two weeks later than last year.
# https://demo.scythe.example/img/harvest-23-0-1280.webp - ...
