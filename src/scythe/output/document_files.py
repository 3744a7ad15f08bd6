"""Write documents to a folder: text, HTML and images under file names that are safe everywhere.

The form is that of the main-block paper: `<title>.txt`, `<title>.html` and `<title>_files/`. Pictures are written only
if the caller passes a download function.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape, unescape
from pathlib import Path
from urllib.parse import quote, urlsplit

from scythe.atomic_files import (
    write_atomically,
)
from scythe.errors import BadInput, ScytheError
from scythe.fetch.page_check import sniff_bytes
from scythe.model import Document
from scythe.output.formats import ONE_DOCUMENT, formats_of
from scythe.url import Url, host

Download = Callable[[Url], bytes | None]  # None, ScytheError and OSError all mean: not to be had

_NAME_BYTES = 150  # file systems take 255; room for a number, "_files", a suffix and the mark of an unfinished file
_IMAGES = 200  # per page; galleries of the page sets have up to 120
_ILLEGAL = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*\ud800-\udfff]')
_RESERVED = frozenset("con prn aux nul clock$ conin$ conout$".split()) | {
    f"{port}{number}" for port in ("com", "lpt") for number in "0123456789\u00b9\u00b2\u00b3"
}
_SUFFIX = {
    "JPEG image": ".jpg",
    "PNG image": ".png",
    "GIF image": ".gif",
    "BMP image": ".bmp",
    "TIFF image": ".tiff",
    "WebP image": ".webp",
    "AVIF image": ".avif",
}  # an SVG image may carry script, and a browser runs it when the file is opened
_IMAGE_TAG = re.compile(r'<img src="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Exported:
    """The files written for one document, and the images that could not be had, each with the reason."""

    text: Path
    html: Path
    images: tuple[Path, ...] = ()
    failed: tuple[tuple[Url, str], ...] = ()


@dataclass(slots=True)
class Exporter:
    """Writes documents into one folder. No file of this run or, without `overwrite`, of an earlier one is replaced."""

    folder: Path
    download: Download | None = None
    overwrite: bool = False
    _next: dict[str, int] = field(default_factory=dict)  # comparable name -> number to try next
    _taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.folder = Path(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.overwrite:
            self._taken.update(_same_name(stem) for path in self.folder.iterdir() for stem in _stems(path.name))

    def put(self, doc: Document, *, name: str = "") -> Exported:
        """Write one document under `name`, by default its title. Raises OSError when the folder cannot be written."""
        stem = self._free(safe_name(name or doc.title or host(doc.url or "")))
        images, local, failed = self._save_images(doc, stem)
        html = _IMAGE_TAG.sub(lambda tag: f'<img src="{local.get(tag[1], tag[1])}"', doc.html)
        text_path, html_path = self._inside(f"{stem}.txt"), self._inside(f"{stem}.html")
        write_atomically(text_path, f"{doc.text}\n".encode(errors="replace"))
        write_atomically(html_path, standalone(doc, html).encode(errors="replace"))
        return Exported(text_path, html_path, images, failed)

    def _free(self, stem: str) -> str:
        key = _same_name(stem)
        number = self._next.get(key, 1)
        while _same_name(candidate := stem if number == 1 else f"{stem} ({number})") in self._taken:
            number += 1
        self._next[key] = number + 1
        self._taken.add(_same_name(candidate))
        return candidate

    def _inside(self, *parts: str) -> Path:
        """Join a path and hold it inside the folder, also where a link lies in the way."""
        path = self.folder.joinpath(*parts)
        if path.parent.resolve() != self.folder.resolve().joinpath(*parts[:-1]):
            raise BadInput(f"{path.parent} leads out of {self.folder}")
        return path

    def _save_images(
        self, doc: Document, stem: str
    ) -> tuple[tuple[Path, ...], dict[str, str], tuple[tuple[Url, str], ...]]:
        """Download and write; return the files, the address in our html -> local address, and what failed."""
        paths: list[Path] = []
        local: dict[str, str] = {}
        failed: list[tuple[Url, str]] = []
        names: set[str] = set()
        for url in _image_urls(doc) if self.download is not None else ():
            if len(paths) + len(failed) >= _IMAGES:
                failed.append((url, f"more than {_IMAGES} images"))
                continue
            body, why = _fetch_image(url, self.download)
            if why:
                failed.append((url, why))
                continue
            path = self._image_path(f"{stem}_files", _image_name(url, body, names))
            write_atomically(path, body)
            paths.append(path)
            local[escape(url)] = escape(quote(f"{path.parent.name}/{path.name}"))
        return tuple(paths), local, tuple(failed)

    def _image_path(self, folder: str, name: str) -> Path:
        if not (self.folder / folder).is_dir():
            self._inside(folder).mkdir()
        return self._inside(folder, name)


def export(
    doc: Document, folder: Path | str, *, download: Download | None = None, name: str = "", overwrite: bool = False
) -> Exported:
    """Write one document as text, html and, with `download`, its images; `Exporter` writes many."""
    return Exporter(Path(folder), download, overwrite).put(doc, name=name)


def dump(doc: Document, format: str) -> str:
    """Return a document as one text: `txt`, `md`, `json`, or `html` as a page of its own. Raises BadInput otherwise."""
    if format == "txt":
        return doc.text
    if format == "md":
        return doc.markdown
    if format == "json":
        return json.dumps(doc.to_dict(), ensure_ascii=False, indent=2)
    if format == "html":
        return standalone(doc, doc.html)
    raise BadInput(f"format must be one of {', '.join(formats_of(ONE_DOCUMENT))}, not {format!r}")


def standalone(doc: Document, html: str) -> str:
    """Return a page that shows `html`, with the document's title, language and address in its head."""
    language = doc.metadata.language
    lang = f' lang="{escape(language)}"' if language else ""
    source = f'<link rel="canonical" href="{escape(doc.url)}">\n' if doc.url else ""
    return (
        f'<!DOCTYPE html>\n<html{lang}>\n<head>\n<meta charset="utf-8">\n<meta name="referrer" content="no-referrer">\n'
        f"{source}<title>{escape(doc.title)}</title>\n</head>\n<body>\n{html}\n</body>\n</html>\n"
    )


def safe_name(text: str, default: str = "page") -> str:
    """Return a file name, without suffix, that means the same on every system: no path, no reserved name, no trick.

    As in the paper, characters that a system forbids become spaces; the name is cut at 150 bytes.
    """
    text = _ILLEGAL.sub(" ", unicodedata.normalize("NFC", text[:2_000]))
    text = "".join(" " if unicodedata.category(c) in ("Cf", "Zl", "Zp", "Co", "Cn") else c for c in text)
    text = " ".join(text.split()).strip(". ").lstrip("-~. ")  # a leading dot hides, a leading dash is an option
    text = text.encode()[:_NAME_BYTES].decode(errors="ignore").strip(". ")
    if text.partition(".")[0].strip().lower() in _RESERVED:
        text = f"_{text}"
    return text or default


def _stems(file_name: str) -> Iterator[str]:
    yield file_name.rpartition(".")[0] or file_name
    if file_name.endswith("_files"):
        yield file_name.removesuffix("_files")


def _same_name(name: str) -> str:
    """Return what two names share that a case-blind or decomposing file system takes for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", name).casefold())


def _image_urls(doc: Document) -> list[Url]:
    shown = [Url(unescape(address)) for address in _IMAGE_TAG.findall(doc.html)]
    return list(dict.fromkeys([*shown, *(image.src for image in doc.images if image.relevant)]))


def _fetch_image(url: Url, download: Download | None) -> tuple[bytes, str]:
    assert download is not None
    try:
        body = download(url)
    except (ScytheError, OSError) as error:
        return b"", str(error) or type(error).__name__
    if not body:
        return b"", "nothing came"
    kind = sniff_bytes(body[:64])
    return (body, "") if kind in _SUFFIX else (b"", f"no image format we write: {kind or 'unknown'}")


def _image_name(url: Url, body: bytes, taken: set[str]) -> str:
    last = urlsplit(url).path.rstrip("/").rpartition("/")[2]
    stem = safe_name(last.rpartition(".")[0] or last, "image")
    suffix, number = _SUFFIX[sniff_bytes(body[:64])], 1
    while _same_name(name := f"{stem}{suffix}" if number == 1 else f"{stem} ({number}){suffix}") in taken:
        number += 1
    taken.add(_same_name(name))
    return name
