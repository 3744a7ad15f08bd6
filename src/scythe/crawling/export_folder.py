"""Write pages to a folder, one file each: stored pages come in; Markdown, text or HTML goes out.

A file is named after its page's title and a hash of its address: the same page has the same name in every export, two
pages never share one, and no page can choose a path.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from scythe.archive.stored import StoredPage
from scythe.crawling.documents import to_document
from scythe.crawling.export_files import told
from scythe.export import safe_name, standalone, write_atomically
from scythe.page.markdown_text import escape_line_start, escape_words

FOLDER_FORMATS = ("md", "txt", "html")
_TITLE_CHARS = 80  # of a file name
_UNPRINTABLE = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029, 0xFEFF, *range(0xD800, 0xE000))}


class PageFolder:
    """A folder that gets one file per page; a later export replaces those of the same pages."""

    def __init__(self, folder: Path, kind: str, *, with_version: bool = False) -> None:
        self._folder, self._kind, self._with_version = folder, kind, with_version
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, stored: StoredPage) -> Path:
        """Write one page and return its file."""
        path = self._folder / f"{file_stem(stored, with_version=self._with_version)}.{self._kind}"
        write_atomically(path, _WRITERS[self._kind](stored).encode(errors="replace"))
        return path


def file_stem(stored: StoredPage, *, with_version: bool = False) -> str:
    """Return the name of a page's file without its suffix."""
    hashed = blake2b(stored.url.encode(errors="replace"), digest_size=6).hexdigest()
    last = urlsplit(stored.url).path.rstrip("/").rpartition("/")[2]
    title = safe_name(stored.title[:_TITLE_CHARS], safe_name(last[:_TITLE_CHARS]))
    return f"{title} {hashed} v{stored.version}" if with_version else f"{title} {hashed}"


def as_markdown(stored: StoredPage) -> str:
    """Return a page as Markdown: what is known of it in front, then its Markdown or, where none was kept, its text."""
    document = to_document(stored)
    known = {
        "url": stored.url,
        "title": stored.title,
        "author": document.metadata.author,
        "date": stored.published,
        "language": stored.language,
        "kind": stored.kind,
        "fetched_at": told(stored.fetched_at),
    }
    front = "".join(f"{name}: {_quote(value)}\n" for name, value in known.items() if value)
    body = stored.markdown if stored.markdown is not None else _paragraphs(stored)
    return f"---\n{front}---\n\n{body.rstrip()}\n"


def as_text(stored: StoredPage) -> str:
    """Return the text of a page."""
    return f"{stored.text}\n"


def as_html(stored: StoredPage) -> str:
    """Return a page of its own that shows the HTML of a page or, where none was kept, its text."""
    html = stored.html
    if html is None:
        lines = "\n".join(f"<p>{escape(line)}</p>" for line in stored.text.split("\n") if line.strip())
        html = f"<h1>{escape(stored.title)}</h1>\n{lines}"
    return standalone(to_document(stored), html)


_WRITERS = {"md": as_markdown, "txt": as_text, "html": as_html}


def _paragraphs(stored: StoredPage) -> str:
    """Return title and text as Markdown in which every word stands for itself."""
    title = escape_words(" ".join(stored.title.split()))
    lines = (escape_line_start(escape_words(line.strip())) for line in stored.text.split("\n"))
    return "\n\n".join([f"# {title}"] * bool(title) + [line for line in lines if line])


def _quote(value: str) -> str:
    """Return a value as YAML and JSON alike write it, without a character that YAML forbids."""
    return json.dumps(value, ensure_ascii=False).translate(_UNPRINTABLE)
