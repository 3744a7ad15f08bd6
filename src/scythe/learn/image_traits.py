"""Name what tells the images of one site apart: the context of an image comes in, its traits go out as short texts.

The first letter of a trait says what it is of: `o` the image's own tag and address, `n` the three nearest elements,
each at its level, `p` everything it stands in, `f` facts of its use.
"""

from __future__ import annotations

import re
from functools import lru_cache

from scythe.model import ImageContext
from scythe.page.image_signature import fold, fold_path
from scythe.page.tag_attributes import read_attributes

OWN, NEAR, PATH, FACT = "onpf"

_LEVELS = 3  # elements around an image that are told apart by level
_DEPTH = 12  # elements around it that are looked at
_WORDS = 16  # of one attribute
_CLASSES = 16  # of one element
_TRAIT_CHARS = 80
_FOLDERS = 5
_VALUE_CHARS = 200
_ADDRESS_CHARS = 500
_SIDES = ("width", "height")
# attributes whose values are one of few on a site
_LISTED = frozenset((*_SIDES, *"class id itemprop rel role loading decoding style sizes target fetchpriority".split()))
_WORD = re.compile(r"[^\s;]++")
_SIZE = re.compile(r"\d{2,4}x\d{2,4}")
_IMAGE_FILE = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif")


def traits(image: ImageContext) -> list[str]:
    """Return the traits of an image, none twice."""
    return [*place_traits(image), *own_traits(image)]


def place_traits(image: ImageContext) -> tuple[str, ...]:
    """Return the traits of where an image stands; images in the same place share them."""
    return _path_traits(fold_path(image.path)[:_DEPTH])


def own_traits(image: ImageContext) -> list[str]:
    """Return the traits of an image itself and of its use."""
    found = list(_fact_traits(image))
    for name, value in read_attributes(image.tags[2]).items():
        if name in _LISTED:
            found += _attribute_traits(name, value[:_VALUE_CHARS])
        else:
            found.append("o@" + name[:_TRAIT_CHARS])
            if name == "alt":
                found.append(f"oalt{min(3, len(value.split(None, 12)) // 3)}")
    folder, _, file = image.src[:_ADDRESS_CHARS].partition("?")[0].rpartition("/")
    found += _folder_traits(folder)
    found += _file_traits(file)
    return found


def _fact_traits(image: ImageContext) -> tuple[str, ...]:
    if image.link is None:
        link = "none"
    else:
        link = "image" if image.link[:_ADDRESS_CHARS].partition("?")[0].lower().endswith(_IMAGE_FILE) else "page"
    quarter = int(image.text_before * 4)  # of the page's text
    return _name_facts(link, image.is_lead, image.is_stated, image.is_figure, quarter)


@lru_cache(maxsize=1_024)
def _name_facts(link: str, is_lead: bool, is_stated: bool, is_figure: bool, quarter: int) -> tuple[str, ...]:
    return (
        f"flink {link}",
        f"flead {is_lead:d}",
        f"fstated {is_stated:d}",
        f"ffigure {is_figure:d}",
        f"ftext {quarter}",
    )


@lru_cache(maxsize=2_048)
def _attribute_traits(name: str, value: str) -> tuple[str, ...]:
    if name in _SIDES:
        digits = value.strip().removesuffix("px")
        if not digits.isdecimal():
            return (f"o@{name}",)
        return (f"o@{name}", f"o{name}={digits[:6]}", f"o{name}~{int(digits[:6]).bit_length()}")
    words = _WORD.findall(value.lower())[:_WORDS]
    return (f"o@{name}", *dict.fromkeys(f"o{name}={fold(word)[:_TRAIT_CHARS]}" for word in words))


@lru_cache(maxsize=2_048)
def _folder_traits(folder: str) -> tuple[str, ...]:
    _, found, rest = folder.partition("//")
    host, _, path = (rest if found else folder).partition("/")
    folders = [fold(name.lower())[:_TRAIT_CHARS] for name in path.split("/")[:_FOLDERS] if name]
    return (f"ohost {host[:_TRAIT_CHARS] if found else ''}", *dict.fromkeys(f"o/{name}" for name in folders))


@lru_cache(maxsize=2_048)
def _file_traits(file: str) -> tuple[str, ...]:
    ending = f"o.{file.rpartition('.')[2].lower()[:5]}"
    size = _SIZE.search(file)
    return (ending, f"osize {size.group()}") if size else (ending,)


@lru_cache(maxsize=2_048)
def _path_traits(path: tuple[str, ...]) -> tuple[str, ...]:
    found: list[str] = []
    for level, label in enumerate(path):
        if level < _LEVELS:
            found += _name_near(level, label)
        found += _name_around(label)
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=2_048)
def _name_near(level: int, label: str) -> tuple[str, ...]:
    head, *classes = fold(label).split(".", _CLASSES + 1)
    tag, named, identity = head.partition("#")
    found = [f"n{level}.{name[:_TRAIT_CHARS]}" for name in classes[:_CLASSES]]
    if named:
        found.append(f"n{level}#{identity[:_TRAIT_CHARS]}")
    return (f"n{level}:{tag[:_TRAIT_CHARS]}", *found)


@lru_cache(maxsize=2_048)
def _name_around(label: str) -> tuple[str, ...]:
    folded = fold(label)
    classes = folded.split(".", _CLASSES + 1)[1 : _CLASSES + 1]
    return ("p:" + folded[: 4 * _TRAIT_CHARS], *(f"p.{name[:_TRAIT_CHARS]}" for name in classes))
