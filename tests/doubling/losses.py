"""Words of a hostile page that are gone without a word: `python -m tests.doubling.losses [BYTES]` lists them.

Every generator of tests/faults puts a word before, into and behind what is hostile. Read and cut, a page shows each of
them, or what came of it says that something was lost or left in doubt.
"""

import sys
from collections.abc import Iterator

from tests.doubling.entries import in_site
from tests.doubling.inputs import page_of
from tests.doubling.site import address, learned, title_of
from tests.faults.pages import AFTER, BEFORE, INSIDE, PAGES

import scythe
from scythe.model import Document
from scythe.site.site import Site

WORDS = (BEFORE, INSIDE, AFTER)
SIZE = 64_000
NUMBER = 20
# elements that browsers, too, show nothing of, or not as text of the page
UNSEEN = (
    "object svg template noscript rt map canvas video audio iframe textarea title style script annotation math select "
    "option optgroup selectedcontent noframes frameset head xmp plaintext unclosed comment cdata openings "
    "annotation-xml"
).split()
# what the text of a learned site leaves out by its rules, and pages that end the element around them by their own tags
FURNITURE = "form button figures".split()
ENDING = {"bold then div ends", "ends without start"}
# read with marks at its tags, the page has formatting of 1,700 kinds and is rewritten, where bold ends in other places
KNOWN = {("misnested bold and div", "tree")}


def is_hidden(name: str, word: str, html: str) -> bool:
    """Say whether a page has no such word to show: it never had it, or has it where nobody would see it."""
    return word not in html or (word != BEFORE and any(part in name.split() for part in UNSEEN))


def unread(name: str, size: int = SIZE) -> list[str]:
    """Return the words that are neither in the text blocks of a page nor told as lost by what reads it."""
    html = page_of(name, size).decode()
    page = scythe.Page.from_text(html, url="https://example.org/")
    document = scythe.read(page)
    shown = "\n".join(page.blocks.text)
    if document.losses or document.losses != page.losses:
        return [] if document.losses else ["losses of the page that the document does not tell"]
    return [word for word in WORDS if word not in shown and not is_hidden(name, word, html)]


def uncut(site: Site, name: str, via: str, size: int = SIZE) -> list[str]:
    """Return what a learned site gives wrongly of a page that has a generator's markup in its text."""
    body = in_site(page_of(name, size), NUMBER)
    document = site.extract(body, address(NUMBER), via=via)  # type: ignore[arg-type]
    return list(_wrong(document, name, body.decode(), via))


def _wrong(document: Document, name: str, html: str, via: str) -> Iterator[str]:
    title, text = document.fields["title"], document.fields["text"]
    if title.values and title.values != (title_of(NUMBER),):
        yield f"the title is {title.values!r:.80}"
    if via == "cut" and not text.values:
        return  # in doubt, and the field says so
    told = document.losses or "read cold" in text.how
    is_left_out = name in ENDING or any(part in name.split() for part in FURNITURE) or (name, via) in KNOWN
    for word in WORDS:
        if word not in document.text and not told and not is_left_out and not is_hidden(name, word, html):
            yield f"{word} is not in the text ({text.how:.60})"


def main() -> int:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else SIZE
    site, count = learned(), 0
    for name in PAGES:
        found = {"read": unread(name, size)} | {via: uncut(site, name, via, size) for via in ("cut", "auto", "tree")}
        for way, words in found.items():
            count += bool(words)
            if words:
                print(f"{name}, {way}: {'; '.join(words)}", flush=True)
    print(f"{len(PAGES)} pages, {count} losses that nobody tells")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
