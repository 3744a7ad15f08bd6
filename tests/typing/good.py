"""Uses of the public interface that must pass the strictest type check."""

from pathlib import Path

import scythe
from scythe.demo import site
from scythe.fetch import FetchOptions, fetch, require_page

doc: scythe.Document = scythe.read("<p>text</p>")
also: scythe.Document = scythe.read(b"<p>text</p>", "https://example.org/", method="auto", content_type="text/html")
again: scythe.Document = scythe.read(scythe.Page.from_text("<p>x</p>"), options=scythe.TextOptions(captions=False))

title: str = doc.title
markdown: str = doc.markdown
sources: list[str] = [image.src for image in doc.images if image.relevant]
author: str = doc.metadata.author
how: str = doc.how["text"]
plain: dict[str, object] = doc.to_dict()

try:
    body: bytes = require_page(fetch("https://example.org/", options=FetchOptions(timeout_s=5.0))).body
except scythe.FetchFailed as failure:
    wait_s: float | None = failure.retry_after_s

pages: list[bytes] = [page.html for page in site(seed=2, pages=12)]
Path("out.md").write_text(markdown, encoding="utf-8")

learned: scythe.Site = scythe.Site.learn([("https://example.org/", b"<h1>x</h1>"), (None, "<h1>y</h1>")])
shown = scythe.Site.learn([scythe.Page.from_text("<p>$12</p>")], [{"price": ["$12"]}], fields=["title"])
cut: scythe.Document = learned.extract(b"<h1>z</h1>", url="https://example.org/z", via="cut")
values: tuple[str, ...] = cut.fields["title"].values
span: tuple[int, int] | None = cut.fields["title"].span
learned.save(Path("site.json"))
is_well: bool = scythe.Site.load("site.json").drift.healthy

region: scythe.RecordList = scythe.read("<ul><li>a<li>b</ul>").lists[0]
names: tuple[str, ...] = region.columns
record: scythe.Record = region.records[0]
texts: tuple[str, ...] = record.fields
links: tuple[str, ...] = record.links
following: str | None = scythe.read("<p>").paging.next
pairs: tuple[tuple[str, str], ...] = scythe.read("<p>").attributes
regions: tuple[scythe.RecordList, ...] = scythe.read_lists(b"<p>", method="mdr", everything=False)
tag: str = scythe.opening_tag(b"<p>", "<p>")
