"""Find the images that labels refer to, by number or URL.

If no URL matches exactly, one that differs only in scheme, query, size or folders is taken if it is unambiguous.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from scythe.model import ImageMarks, LabelledPage, PageImages
from scythe.site.labels.label_files import Label, Labels, contradiction
from scythe.url import absolute

# what sites put into the names of the sizes of one image: photo-300x200.jpg, photo_640w.jpg, photo@2x.jpg
_SIZE = re.compile(r"(?:[-_.]\d{2,5}x\d{1,5}|[-_]\d{2,5}[wp]|@\dx|-scaled|[-_]thumb(?:nail)?)(?=\.\w{2,5}$|$)")
_OFFERED = 16  # addresses of an image that are looked at where it is not named as the page has it
_NAME_CHARS = 2_000  # of an address by which an image is named; data: addresses are longer


@dataclass(frozen=True, slots=True)
class Lost:
    """A label that belongs to no image, and why."""

    label: Label
    why: str
    at: str = ""  # where it stands in its file
    is_page: bool = False  # the whole page is missing


@dataclass(frozen=True, slots=True)
class Marked:
    """One page with what people said of its images, and the labels that could not be placed."""

    labelled: LabelledPage
    lost: tuple[Lost, ...] = ()


def mark_page(labels: Sequence[Label], page: PageImages, source: Labels) -> Marked:
    """Turn all labels of one page, of all people, into marks.

    Who names only relevant images says that all others are not (Algorithm 2 of paper 003); who names both kinds says
    nothing of the others. Raises BadInput where one person says two things of one image.
    """
    finder = _Finder(page)
    marks: list[ImageMarks] = []
    lost: list[Lost] = []
    for by in dict.fromkeys(label.by for label in labels):
        own = [label for label in labels if label.by == by]
        found, missing, doubtful = _place(own, finder, source)
        lost += missing
        made = _marks(by, own, found, doubtful, len(page.images))
        if made is not None:
            marks.append(made)
    return Marked(LabelledPage(page, tuple(marks)), tuple(lost))


def name_images(page: PageImages) -> list[str]:
    """Return what labels call the images of a page: its address or, where the page shows that twice, its number too."""
    shown = Counter(image.src for image in page.images)
    return [
        image.src if shown[image.src] == 1 and len(image.src) <= _NAME_CHARS else f"#{row} {image.src[:_NAME_CHARS]}"
        for row, image in enumerate(page.images, 1)
    ]


def _place(labels: Sequence[Label], finder: _Finder, source: Labels) -> tuple[dict[int, Label], list[Lost], set[int]]:
    """Return the label of each image found, the labels that were not, and the images that one of those may mean."""
    found: dict[int, Label] = {}
    lost: list[Lost] = []
    doubtful: set[int] = set()
    for label in labels:
        if not label.image:
            continue
        rows, is_sure = finder.find(label.image)
        if not is_sure:
            lost.append(Lost(label, _why(rows, finder), source.place(label.line)))
            doubtful.update(rows)
            continue
        for row in rows:
            before = found.setdefault(row, label)
            if before.relevant != label.relevant:
                raise contradiction(before, label, source.place)
    return found, lost, doubtful


def _why(rows: Sequence[int], finder: _Finder) -> str:
    if rows:
        some = ", ".join(f"#{row + 1}" for row in rows[:3]) + (", ..." if len(rows) > 3 else "")
        return f"could be any of {some}; write the number"
    count = len(finder.page.images)
    if count:
        return f"not on the page, which has {count} image{'' if count == 1 else 's'}"
    return (
        "the page has no image" if finder.page.url else "no image of the page has a known address; where is the page?"
    )


def _marks(
    by: str, labels: Sequence[Label], found: dict[int, Label], doubtful: set[int], count: int
) -> ImageMarks | None:
    """Return the marks of one person, or None where nothing is known of any image."""
    relevant = tuple(sorted(row for row, label in found.items() if label.relevant))
    irrelevant = {row for row, label in found.items() if not label.relevant}
    says_none = any(not label.image for label in labels)
    names_only_relevant = all(label.relevant for label in labels if label.image)
    # where none of the images named is found the page is another one now, and what it shows was never looked at
    if says_none or (names_only_relevant and relevant):
        irrelevant |= set(range(count)) - set(relevant) - doubtful
    return ImageMarks(by, relevant, tuple(sorted(irrelevant))) if relevant or irrelevant else None


class _Finder:
    """Knows the images of one page by all their names."""

    def __init__(self, page: PageImages) -> None:
        self.page = page
        self._levels: dict[int, dict[str, list[int]]] = {}

    def find(self, text: str) -> tuple[Sequence[int], bool]:
        """Return the images that a text names, and whether that is certain."""
        if text[0] == "#":
            row = int(text[1:9]) - 1
            return ((row,), True) if len(text) <= 9 and row < len(self.page.images) else ((), False)
        whole = absolute(text, self.page.url or None)
        for level, named in enumerate(_NAMES[:_FILE]):
            rows = self._level(level).get(named(whole), []) if whole is not None else []
            if rows:
                return rows, level < _CERTAIN or self._are_one(rows)
        rows = self._ending(text) if absolute(text) is None else []
        return rows, bool(rows) and self._are_one(rows)

    def _level(self, level: int) -> dict[str, list[int]]:
        """Return the images by the names of one level, made when first asked for."""
        made = self._levels.get(level)
        if made is None:
            made = self._levels[level] = {}
            for row, image in enumerate(self.page.images):
                offered = dict.fromkeys((image.src, *image.addresses[: None if level == 0 else _OFFERED]))
                for name in dict.fromkeys(_NAMES[level](address) for address in offered):
                    made.setdefault(name, []).append(row)
        return made

    def _ending(self, text: str) -> list[int]:
        """Return the images whose address ends like a relative one: what it is relative to need not be known."""
        end = _path(text).lstrip("./")
        if not end:
            return []
        rows = self._level(_FILE).get(end.rpartition("/")[2], [])
        return [row for row in rows if any(_path(f"/{name}").endswith(f"/{end}") for name in self._offered(row))]

    def _offered(self, row: int) -> Iterator[str]:
        image = self.page.images[row]
        yield image.src
        yield from image.addresses[:_OFFERED]

    def _are_one(self, rows: Sequence[int]) -> bool:
        return len({self.page.images[row].src for row in rows}) == 1


def _plain(address: str) -> str:
    return address.partition("#")[0]


def _schemeless(address: str) -> str:
    parts = _split(address)
    return f"{parts[0]}{parts[1]}?{parts[2]}"


def _without_query(address: str) -> str:
    parts = _split(address)
    return parts[0] + parts[1]


def _without_size(address: str) -> str:
    parts = _split(address)
    return parts[0] + _SIZE.sub("", parts[1])


def _path(address: str) -> str:
    return _split(address)[1]


def _file(address: str) -> str:
    return _path(address).rpartition("/")[2]


@lru_cache(maxsize=4_096)
def _split(address: str) -> tuple[str, str, str]:
    """Return host, path and query, escapes resolved."""
    try:
        parts = urlsplit(address)
        return (parts.hostname or "").removeprefix("www."), unquote(parts.path), parts.query
    except ValueError:
        return "", address, ""


# surest first; an image named at one of the first levels is meant wherever the page shows it
_NAMES: tuple[Callable[[str], str], ...] = (_plain, _schemeless, _without_query, _without_size, _path, _file)
_CERTAIN = 2
_FILE = len(_NAMES) - 1  # the name of the file alone is too little for an absolute address
