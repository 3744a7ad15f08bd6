"""The file format of profiles: every record and value, checked when read."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from datetime import datetime
from functools import cache
from typing import Any, Protocol

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.model import IMAGE_METHODS, RELEVANCE, ImageContext, ImageMarks, LabelledPage, PageImages, SiteImages
from scythe.page.encoding import web_codecs
from scythe.reading.papers.tc import from_plain
from scythe.site.rules import (
    ATTRIBUTE,
    FLOW,
    KINDS,
    TAKES,
    ColumnRules,
    FieldRules,
    ImageArea,
    ImageRules,
    Layout,
    ListRules,
    Profile,
    Rule,
    Usual,
    Way,
)

_PLAIN_DEPTH = 12  # of the health of a profile, and of a fitted model


class Wrong(Exception):
    """A place in a file and what is wrong there."""

    def __init__(self, at: str, why: str) -> None:
        super().__init__(f"{at}: {why}" if at else why)


class Form(Protocol):
    """One kind of value: `load` checks plain JSON and makes the value, `dump` makes plain JSON of it."""

    def load(self, value: object, at: str) -> Any: ...
    def dump(self, value: Any) -> object: ...


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number within bounds, both included."""

    least: int
    most: int

    def load(self, value: object, at: str) -> int:
        if type(value) is not int or not self.least <= value <= self.most:
            raise Wrong(at, f"a whole number from {self.least} to {self.most} was expected, not {value!r:.60}")
        return value

    def dump(self, value: int) -> object:
        return value


@dataclass(frozen=True, slots=True)
class Share:
    """A number from 0 to 1."""

    def load(self, value: object, at: str) -> float:
        if type(value) not in (int, float) or not 0 <= value <= 1:  # type: ignore[operator]
            raise Wrong(at, f"a number from 0 to 1 was expected, not {value!r:.60}")
        return float(value)  # type: ignore[arg-type]

    def dump(self, value: float) -> object:
        return value


@dataclass(frozen=True, slots=True)
class Maybe:
    """Another kind of value, or null."""

    inner: Form

    def load(self, value: object, at: str) -> Any:
        return None if value is None else self.inner.load(value, at)

    def dump(self, value: Any) -> object:
        return None if value is None else self.inner.dump(value)


@dataclass(frozen=True, slots=True)
class Row:
    """A list of as many values as there are forms, one of each."""

    inner: tuple[Form, ...]

    def load(self, value: object, at: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) != len(self.inner):
            raise Wrong(at, f"a list of {len(self.inner)} was expected, not {value!r:.60}")
        pairs = zip(self.inner, value, strict=True)
        return tuple(form.load(item, f"{at}[{number}]") for number, (form, item) in enumerate(pairs))

    def dump(self, value: tuple[Any, ...]) -> object:
        return [form.dump(item) for form, item in zip(self.inner, value, strict=True)]


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    def load(self, value: object, at: str) -> bool:
        if not isinstance(value, bool):
            raise Wrong(at, f"true or false was expected, not {value!r:.60}")
        return value

    def dump(self, value: bool) -> object:
        return value


@dataclass(frozen=True, slots=True)
class Text:
    """Text of bounded length that can be written as UTF-8; `says_why` returns what is wrong with it, or nothing."""

    most: int  # characters
    says_why: Callable[[str], str] = lambda _: ""

    def load(self, value: object, at: str) -> str:
        if not isinstance(value, str):
            raise Wrong(at, f"text was expected, not {value!r:.60}")
        if len(value) > self.most:
            raise Wrong(at, f"text of at most {self.most} characters was expected, not {len(value)}")
        if not _is_clean(value):
            raise Wrong(at, "text with half of a surrogate pair")
        why = self.says_why(value)
        if why:
            raise Wrong(at, f"{why}, not {value!r:.60}")
        return value

    def dump(self, value: str) -> object:
        return value


@dataclass(frozen=True, slots=True)
class Literal:
    """Bytes of a page: text where they are UTF-8, which nearly all are, and base64 where they are not."""

    says_why: Callable[[bytes], str] = lambda _: ""

    def load(self, value: object, at: str) -> bytes:
        if isinstance(value, str) and _is_clean(value):
            made = value.encode()
        elif isinstance(value, dict) and value.keys() == {"base64"} and isinstance(value["base64"], str):
            made = _decoded(value["base64"], at)
        else:
            raise Wrong(at, f'text or {{"base64": "..."}} was expected, not {value!r:.60}')
        if len(made) > LIMITS.literal_bytes:
            raise Wrong(at, f"at most {LIMITS.literal_bytes} bytes were expected, not {len(made)}")
        why = self.says_why(made)
        if why:
            raise Wrong(at, f"{why}, not {made!r:.60}")
        return made

    def dump(self, value: bytes) -> object:
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"base64": b64encode(value).decode("ascii")}


@dataclass(frozen=True, slots=True)
class Plain:
    """Any shallow JSON object, kept in one canonical text; no object is an empty text."""

    def load(self, value: object, at: str) -> str:
        if not isinstance(value, dict):
            raise Wrong(at, f"an object was expected, not {value!r:.60}")
        check_plain(value, at)
        return write_plain(value)

    def dump(self, value: str) -> object:
        return json.loads(value)


@dataclass(frozen=True, slots=True)
class Many:
    """A list of bounded length; `key` is what no two items may share."""

    inner: Form
    most: int
    least: int = 0
    key: Callable[[Any], str] | None = None

    def load(self, value: object, at: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise Wrong(at, f"a list was expected, not {value!r:.60}")
        if not self.least <= len(value) <= self.most:
            raise Wrong(at, f"a list of {self.least} to {self.most} was expected, not of {len(value)}")
        made = tuple(self.inner.load(item, f"{at}[{number}]") for number, item in enumerate(value))
        if self.key is not None and len(set(map(self.key, made))) < len(made):
            raise Wrong(at, "two have the same name")
        return made

    def dump(self, value: tuple[Any, ...]) -> object:
        return [self.inner.dump(item) for item in value]


@dataclass(frozen=True, slots=True)
class RecordForm:
    """A record of `scythe.site.rules` or `scythe.model`; what equals its default is left out of the file."""

    of: type
    forms: dict[str, Form]
    says_why: Callable[[Any], str] = lambda _: ""

    def load(self, value: object, at: str) -> Any:
        if not isinstance(value, dict):
            raise Wrong(at, f"an object was expected, not {value!r:.60}")
        unknown = sorted(value.keys() - self.forms.keys())
        if unknown:
            raise Wrong(at, f"unknown key {unknown[0]!r:.60}; expected one of {', '.join(self.forms)}")
        missing = [name for name in self.forms if name not in value and name not in _defaults(self.of)]
        if missing:
            raise Wrong(at, f"{missing[0]!r} is missing")
        lead = f"{at}." if at else ""
        made = self.of(**{name: self.forms[name].load(item, f"{lead}{name}") for name, item in value.items()})
        why = self.says_why(made)
        if why:
            raise Wrong(at, why)
        return made

    def dump(self, value: Any) -> dict[str, object]:
        """Return plain values in the order of the record's fields."""
        if not isinstance(value, self.of):
            raise TypeError(f"{self.of.__name__} was expected, not {type(value).__name__}")
        if len(fields(self.of)) != len(self.forms):
            raise TypeError(f"{self.of.__name__} has fields that the file format lacks")  # they would be lost
        given = {name: getattr(value, name) for name in self.forms}
        default = _defaults(self.of)
        kept = {name: item for name, item in given.items() if name not in default or item != default[name]}
        return {name: self.forms[name].dump(item) for name, item in kept.items()}


@cache
def _defaults(record: type) -> dict[str, object]:
    return {field.name: field.default for field in fields(record) if field.default is not MISSING}


def check_plain(value: object, at: str, depth: int = _PLAIN_DEPTH) -> None:
    """Check that a value of JSON is shallow and holds only numbers that JSON and Python mean alike."""
    if depth == 0:
        raise Wrong(at, f"nested more than {_PLAIN_DEPTH} deep")
    if isinstance(value, dict):
        for key, item in value.items():
            check_plain(key, at, depth - 1)
            check_plain(item, f"{at}.{key}"[:200], depth - 1)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            check_plain(item, f"{at}[{number}]", depth - 1)
    elif isinstance(value, str) and not _is_clean(value):
        raise Wrong(at, "text with half of a surrogate pair")
    elif isinstance(value, int | float) and not abs(value) <= 2**53:
        raise Wrong(at, "a number that is too large")


def write_plain(value: object) -> str:
    """Write a value of JSON in the one form that `Plain` keeps it in."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _is_clean(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def _decoded(text: str, at: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise Wrong(at, "not base64") from None


_OFTEN = 1_000_000_000  # pages counted at most


def _one_of(known: tuple[str, ...]) -> Callable[[str], str]:
    return lambda text: "" if text in known else f"one of {', '.join(known)} was expected"


def _begins_tag(literal: bytes) -> bool:
    return literal[:1] == b"<" and literal[1:2].isalpha()


def _opening_why(literal: bytes) -> str:
    return "" if _begins_tag(literal) else "the beginning of an opening tag was expected"


def _full_why(value: str | bytes) -> str:
    return "" if value else "something was expected"


def _name_why(name: str) -> str:
    return "" if name and name.isprintable() and name == name.strip() else "a name was expected"


def _host_why(name: str) -> str:
    is_host = name and name.isprintable() and name == name.lower() and not set(name) & set(" /@?#")
    return "" if is_host else "a host name in lower case was expected"


def _time_why(text: str) -> str:
    try:
        datetime.fromisoformat(text or "2026-01-31")
    except ValueError:
        return "a time such as 2026-01-31T12:00:00+00:00 was expected"
    return ""


def _codec_why(name: str) -> str:
    return "" if name in web_codecs() else "the codec of an encoding of the web was expected"


def _rule_why(rule: Rule) -> str:
    if rule.nth == 0:
        return "" if _begins_tag(rule.anchor[rule.skip :]) else "no opening tag begins at skip"
    return _opening_why(rule.step) and "step must be the beginning of an opening tag where nth is not 0"


def _way_why(way: Way) -> str:
    if (way.take == ATTRIBUTE) != bool(way.attribute):
        return "attribute names what to take where take is attribute, and only there"
    if way.attribute != way.attribute.lower():
        return "attribute must be in lower case"
    if way.repeats and not _begins_tag(way.rules[0].anchor):
        return "a way that repeats needs the beginning of an opening tag as its first anchor"
    return ""


def _usual_why(usual: Usual) -> str:
    if usual.present > usual.pages:
        return "present on more pages than there were"
    if not usual.shortest <= usual.middle <= usual.longest:
        return "shortest, middle and longest must ascend"
    return "" if usual.first <= usual.last else "first lies behind last"


def _list_why(rules: ListRules) -> str:
    if rules.present > rules.pages:
        return "present on more pages than there were"
    if any(way.repeats or way.take != FLOW for way in rules.holder):
        return "the way to the element around records leads to one element and takes flow"
    return "" if rules.fewest <= rules.most else "fewest and most must ascend"


def _marks_why(marks: ImageMarks) -> str:
    rows = (*marks.relevant, *marks.irrelevant)
    return "says twice what an image is" if len(set(rows)) < len(rows) else ""


def _area_why(area: ImageArea) -> str:
    if any(way.repeats or way.take != FLOW for way in area.ways):
        return "the way to an area of images leads to one element and takes flow"
    return "present on more pages than there were" if area.present > area.pages else ""


def _labelled_why(labelled: LabelledPage) -> str:
    count = len(labelled.page.images)
    if any(row >= count for marks in labelled.marks for row in (*marks.relevant, *marks.irrelevant)):
        return f"marks an image that the page does not have; it has {count}"
    people = [marks.by for marks in labelled.marks]
    return "the same person marks it twice" if len(set(people)) < len(people) else ""


def _site_images_why(known: SiteImages) -> str:
    if not known.model:
        return ""
    if known.method == RELEVANCE:
        return "only a published method has a model"
    try:
        method = from_plain(json.loads(known.model)).method
    except BadInput as error:
        return str(error)
    return "" if method == known.method else f"the model is of the method {method}, not {known.method}"


_OFFSET = Count(0, LIMITS.body_bytes)
_PAGES = Count(0, _OFTEN)
_WORDS = Text(LIMITS.block_chars)

RULE = RecordForm(
    Rule,
    {
        "kind": Text(40, _one_of(KINDS)),
        "anchor": Literal(_full_why),
        "skip": Count(0, LIMITS.literal_bytes),
        "step": Literal(),
        "nth": Count(-LIMITS.steps, LIMITS.steps),
        "reach": _OFFSET,
        "position": _OFFSET,
    },
    _rule_why,
)
WAY = RecordForm(
    Way,
    {
        "take": Text(40, _one_of(TAKES)),
        "rules": Many(RULE, LIMITS.way_rules, least=1),
        "needed": Count(1, LIMITS.way_rules),
        "attribute": Text(200),
        "before": _WORDS,
        "after": _WORDS,
        "repeats": Flag(),
        "end": Literal(),
        "inner_tags": Count(-1, LIMITS.body_bytes),
        "drops": Many(Literal(_opening_why), LIMITS.way_drops),
        "skip_lines": Many(_WORDS, LIMITS.shared_texts),
    },
    _way_why,
)
USUAL = RecordForm(
    Usual,
    {
        "pages": _PAGES,
        "present": _PAGES,
        "shortest": _OFFSET,
        "longest": _OFFSET,
        "middle": _OFFSET,
        "first": _OFFSET,
        "last": _OFFSET,
        "script": Text(40),
        "form": Text(40),
    },
    _usual_why,
)
FIELD = RecordForm(FieldRules, {"name": Text(200, _name_why), "ways": Many(WAY, LIMITS.field_ways), "usual": USUAL})
COLUMN = RecordForm(
    ColumnRules, {"name": Text(200, _name_why), "places": Many(Text(LIMITS.place_chars), LIMITS.places)}
)
LIST = RecordForm(
    ListRules,
    {
        "heads": Many(Literal(_opening_why), LIMITS.list_literals, least=1),
        "columns": Many(COLUMN, LIMITS.list_columns, least=1, key=lambda column: str(column.name)),
        "members": Many(Literal(_opening_why), LIMITS.list_literals),
        "holder": Many(WAY, LIMITS.field_ways),
        "kind": Text(40, _name_why),
        "pattern": _WORDS,
        "score": Count(0, 1_000),
        "pages": _PAGES,
        "present": _PAGES,
        "fewest": _OFFSET,
        "most": _OFFSET,
        "tight": Flag(),
        "outside": _OFFSET,
    },
    _list_why,
)
_SIGNATURE = Text(LIMITS.place_chars)
_ADDRESS = Text(LIMITS.url_chars)
_THOUSANDTHS = Count(0, 1_000)
_PATH = Many(_SIGNATURE, LIMITS.depth)
_ROWS = Many(Count(0, LIMITS.page_images), LIMITS.page_images)
IMAGE_AREA = RecordForm(
    ImageArea,
    {
        "ways": Many(WAY, LIMITS.field_ways),
        "path": _PATH,
        "score": _THOUSANDTHS,
        "pages": _PAGES,
        "present": _PAGES,
    },
    _area_why,
)
IMAGE_RULES = RecordForm(
    ImageRules,
    {
        "areas": Many(IMAGE_AREA, LIMITS.image_areas),
        "scores": Many(Row((_SIGNATURE, _THOUSANDTHS)), LIMITS.site_signatures),
        "sources": Many(Row((_ADDRESS, _THOUSANDTHS)), LIMITS.site_signatures),
        "pages": _PAGES,
        "present": _PAGES,
        "named": _PAGES,
    },
)
IMAGE_CONTEXT = RecordForm(
    ImageContext,
    {
        "src": _ADDRESS,
        "tags": Row((Text(LIMITS.literal_bytes),) * 3),
        "path": _PATH,
        "link": Maybe(_ADDRESS),
        "caption": _WORDS,
        "is_figure": Flag(),
        "order": Share(),
        "text_before": Share(),
        "is_lead": Flag(),
        "is_stated": Flag(),
        "addresses": Many(_ADDRESS, 2 * LIMITS.srcset_items),
    },
)
PAGE_IMAGES = RecordForm(
    PageImages,
    {
        "url": _ADDRESS,
        "title": _WORDS,
        "text_chars": _OFFSET,
        "has_meta": Flag(),
        "images": Many(IMAGE_CONTEXT, LIMITS.page_images),
    },
)
MARKS = RecordForm(ImageMarks, {"by": Text(LIMITS.name_chars), "relevant": _ROWS, "irrelevant": _ROWS}, _marks_why)
LABELLED = RecordForm(
    LabelledPage, {"page": PAGE_IMAGES, "marks": Many(MARKS, LIMITS.annotators, least=1)}, _labelled_why
)
SITE_IMAGES = RecordForm(
    SiteImages,
    {
        "pages": _PAGES,
        "sources": Many(Row((_ADDRESS, _PAGES)), LIMITS.site_signatures),
        "signatures": Many(Row((_SIGNATURE, _PAGES, _PAGES)), LIMITS.site_signatures),
        "labelled": Many(LABELLED, LIMITS.labelled_pages),
        "method": Text(40, _one_of(IMAGE_METHODS)),
        "model": Plain(),
    },
    _site_images_why,
)
LAYOUT = RecordForm(
    Layout,
    {
        "name": Text(200, _name_why),
        "fields": Many(FIELD, LIMITS.layout_fields, key=lambda field: str(field.name)),
        "marks": Many(Literal(_full_why), LIMITS.layout_marks),
        "shapes": Many(Text(LIMITS.url_chars), LIMITS.layout_marks),
        "encodings": Many(Text(40, _codec_why), 100),
        "pages": _PAGES,
        "boilerplate": Many(_WORDS, LIMITS.shared_texts),
        "lists": Many(LIST, LIMITS.layout_lists),
        "images": IMAGE_RULES,
    },
)
PROFILE = RecordForm(
    Profile,
    {
        "layouts": Many(LAYOUT, LIMITS.profile_layouts, key=lambda layout: str(layout.name)),
        "fields": Many(Text(200, _name_why), LIMITS.layout_fields),
        "hosts": Many(Text(253, _host_why), 1_000),
        "learned": Text(40, _time_why),
        "boilerplate": Many(_WORDS, LIMITS.shared_texts),
        "named": Many(Text(200, _name_why), LIMITS.layout_fields),
        "images": SITE_IMAGES,
    },
)
