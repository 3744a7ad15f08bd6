"""The file format of profiles: the form of every record, checked by msgspec when a file is read."""

from __future__ import annotations

import json
import re
from abc import ABCMeta
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from types import GenericAlias
from typing import Annotated, Any, get_type_hints

import msgspec
from msgspec import Meta, inspect

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
_CLEAN = r"\A[^\ud800-\udfff]*\Z"  # text that can be written as UTF-8


class Wrong(Exception):
    """A place in a file and what is wrong there."""

    def __init__(self, at: str, why: str) -> None:
        super().__init__(f"{at}: {why}" if at else why)


def load(content: dict[str, object]) -> Profile:
    """Make a profile of plain JSON. Raises Wrong with the place and the reason where it is not one."""
    try:
        (form,) = msgspec.convert([content], _FILE, dec_hook=_read)  # in a list: so every error says where it is
    except msgspec.ValidationError as error:
        raise _explain(error, content) from None
    except UnicodeEncodeError:  # of a key, or of text where something else was expected
        check_plain(content, "profile")
        raise
    return msgspec.convert(form, Profile, from_attributes=True)


def dump(value: Any) -> Any:
    """Make plain JSON of a record or a value of one; what equals its default is left out."""
    if is_dataclass(value):
        given = {each.name: getattr(value, each.name) for each in fields(value)}
        plain = {each.name: dump(given[each.name]) for each in fields(value) if given[each.name] != each.default}
        return plain | {"model": json.loads(plain["model"])} if "model" in plain else plain
    if isinstance(value, tuple):
        return [dump(item) for item in value]
    return _dump_literal(value) if isinstance(value, bytes) else value


def _dump_literal(value: bytes) -> object:
    """Write bytes of a page: as text where they are UTF-8, which nearly all are, and base64 where they are not."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(value).decode("ascii")}


def _explain(error: msgspec.ValidationError, content: object) -> Wrong:
    """Say what was expected in the words of the other errors; msgspec names only the bound that was crossed."""
    text, _, path = str(error).rpartition(" - at `$[0]")
    at = path.strip("`.")
    if error.__cause__ is not None:
        return Wrong(at, str(error.__cause__))
    kind: Any = inspect.type_info(PROFILE)
    for step in re.findall(r"\w+", at):
        if isinstance(kind, inspect.StructType):
            kind, content = next(each.type for each in kind.fields if each.name == step), content[step]  # type: ignore[index]
        else:
            kind = kind.item_type if isinstance(kind, inspect.VarTupleType) else kind.item_types[int(step)]
            content = content[int(step)]  # type: ignore[index]
    name = text.partition("`")[2].removesuffix("`")
    if text.startswith("Object missing"):
        return Wrong(at, f"{name!r} is missing")
    if text.startswith("Object contains"):
        known = ", ".join(each.name for each in kind.fields)
        return Wrong(at, f"unknown key {name!r:.60}; expected one of {known}")
    return Wrong(at, _expectation(kind.types[0] if isinstance(kind, inspect.UnionType) else kind, content))


def _expectation(kind: Any, value: object) -> str:
    match kind:
        case inspect.VarTupleType() if isinstance(value, list):
            return f"a list of {kind.min_length} to {kind.max_length} was expected, not of {len(value)}"
        case inspect.StrType(max_length=int(most)) if isinstance(value, str):
            too_long = f"text of at most {most} characters was expected, not {len(value)}"
            return too_long if len(value) > most else "text with half of a surrogate pair"
        case inspect.IntType():
            wanted = f"a whole number from {kind.ge} to {kind.le}"
        case inspect.TupleType():
            wanted = f"a list of {len(kind.item_types)}"
        case _:
            wanted = _WANTED[type(kind)]
    return f"{wanted} was expected, not {value!r:.60}"


_WANTED: dict[type, str] = {
    inspect.BoolType: "true or false",
    inspect.FloatType: "a number from 0 to 1",
    inspect.StrType: "text",
    inspect.StructType: "an object",
    inspect.VarTupleType: "a list",
}


def _read(kind: Any, value: object) -> Any:
    """Read a value that msgspec has no type for."""
    return kind.read(value)


def _form(record: type, says_why: Callable[[Any], str] = lambda _: "", /, **kinds: Any) -> Any:
    """Make the form of a record in files; `says_why` returns what is wrong with the whole of it.

    `kinds` are of single fields. Others have the kind of their name or type, and a list without any is an error.
    """

    def check(made: Any) -> None:
        if why := says_why(made):
            raise ValueError(why)

    hints = get_type_hints(record)
    kinds = {name: kinds.get(name) or _NAMED.get(name) or _TYPED[hint] for name, hint in hints.items()}
    parts = [
        (each.name, kinds[each.name], *([each.default] * (each.default is not MISSING))) for each in fields(record)
    ]
    form = msgspec.defstruct(record.__name__, parts, namespace={"__post_init__": check}, forbid_unknown_fields=True)
    _TYPED[record] = form
    return form


def _count(least: int, most: int) -> Any:
    return Annotated[int, Meta(ge=least, le=most)]


def _many(inner: Any, most: int, least: int = 0) -> Any:
    return Annotated[GenericAlias(tuple, (inner, ...)), Meta(min_length=least, max_length=most)]


def _row(*inner: Any) -> Any:
    return GenericAlias(tuple, inner)


def _text(most: int) -> Any:
    return Annotated[str, Meta(max_length=most, pattern=_CLEAN)]


def _kind(made: type, read: Callable[[Any], Any]) -> Any:
    """Return a type that msgspec leaves to `read`, and whose instances are those of `made`."""
    kind = ABCMeta(f"Read{made.__name__.title()}", (), {"read": staticmethod(read)})
    kind.register(made)
    return kind


def _checked(most: int, says_why: Callable[[str], str]) -> Any:
    """Return the kind of a text of bounded length that has to be more than that."""

    def read(value: object) -> str:
        if not isinstance(value, str) or len(value) > most:
            raise ValueError(f"text of at most {most} characters was expected, not {value!r:.60}")
        if why := says_why(value):
            raise ValueError(f"{why}, not {value!r:.60}")
        return value

    return _kind(str, read)


def _literal(says_why: Callable[[bytes], str] = lambda _: "") -> Any:
    """Return the kind of bytes of a page: `_dump_literal` says how they are written."""

    def read(value: object) -> bytes:
        if isinstance(value, str):
            made = value.encode()
        elif isinstance(value, dict) and value.keys() == {"base64"} and isinstance(value["base64"], str):
            made = _from_base64(value["base64"])
        else:
            raise ValueError(f'text or {{"base64": "..."}} was expected, not {value!r:.60}')
        if len(made) > LIMITS.literal_bytes:
            raise ValueError(f"at most {LIMITS.literal_bytes} bytes were expected, not {len(made)}")
        if why := says_why(made):
            raise ValueError(f"{why}, not {made!r:.60}")
        return made

    return _kind(bytes, read)


def _from_base64(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise ValueError("not base64") from None


def _read_model(value: object) -> str:
    """Read any shallow JSON object, kept in one canonical text."""
    if not isinstance(value, dict):
        raise ValueError(f"an object was expected, not {value!r:.60}")
    check_plain(value, "images.model")
    return write_plain(value)


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
    """Write a value of JSON in the one form that models are kept in."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _is_clean(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


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
        return "" if text.isprintable() else "text that can be seen was expected"
    except ValueError:
        return "a time such as 2026-01-31T12:00:00+00:00 was expected"


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


def _same_why(name: str) -> Callable[[Any], str]:
    """Say that no two items of a field may share a name."""

    def says_why(record: Any) -> str:
        names = [item.name for item in getattr(record, name)]
        return f"{name}: two have the same name" if len(set(names)) < len(names) else ""

    return says_why


def _list_why(rules: ListRules) -> str:
    if rules.present > rules.pages:
        return "present on more pages than there were"
    if any(way.repeats or way.take != FLOW for way in rules.holder):
        return "the way to the element around records leads to one element and takes flow"
    return _same_why("columns")(rules) if rules.fewest <= rules.most else "fewest and most must ascend"


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


_PAGES = _count(0, _OFTEN)
_WORDS = _text(LIMITS.block_chars)
_ADDRESS = _text(LIMITS.url_chars)
_SIGNATURE = _text(LIMITS.place_chars)
_NAME = _checked(200, _name_why)
_OPENING = _literal(_opening_why)
_THOUSANDTHS = _count(0, 1_000)
_SHARED = _many(_WORDS, LIMITS.shared_texts)
_ROWS = _many(_count(0, LIMITS.page_images), LIMITS.page_images)
_TYPED: dict[Any, Any] = {
    bool: bool,
    bytes: _literal(),
    float: Annotated[float, Meta(ge=0, le=1)],
    int: _count(0, LIMITS.body_bytes),
    str: _WORDS,
}
_NAMED = {
    "name": _NAME,
    "boilerplate": _SHARED,
    "pages": _PAGES,
    "path": _many(_SIGNATURE, LIMITS.depth),
    "present": _PAGES,
    "score": _THOUSANDTHS,
}

_form(
    Rule,
    _rule_why,
    kind=_checked(40, _one_of(KINDS)),
    anchor=_literal(_full_why),
    skip=_count(0, LIMITS.literal_bytes),
    nth=_count(-LIMITS.steps, LIMITS.steps),
)
_WAYS = _many(
    _form(
        Way,
        _way_why,
        take=_checked(40, _one_of(TAKES)),
        rules=_many(_TYPED[Rule], LIMITS.way_rules, least=1),
        needed=_count(1, LIMITS.way_rules),
        attribute=_text(200),
        inner_tags=_count(-1, LIMITS.body_bytes),
        drops=_many(_OPENING, LIMITS.way_drops),
        skip_lines=_SHARED,
    ),
    LIMITS.field_ways,
)
_form(Usual, _usual_why, script=_text(40), form=_text(40))
_form(FieldRules, ways=_WAYS)
_form(ColumnRules, places=_many(_SIGNATURE, LIMITS.places))
_form(
    ListRules,
    _list_why,
    heads=_many(_OPENING, LIMITS.list_literals, least=1),
    columns=_many(_TYPED[ColumnRules], LIMITS.list_columns, least=1),
    members=_many(_OPENING, LIMITS.list_literals),
    holder=_WAYS,
    kind=_checked(40, _name_why),
)
_form(ImageArea, _area_why, ways=_WAYS)
_form(
    ImageRules,
    areas=_many(_TYPED[ImageArea], LIMITS.image_areas),
    scores=_many(_row(_SIGNATURE, _THOUSANDTHS), LIMITS.site_signatures),
    sources=_many(_row(_ADDRESS, _THOUSANDTHS), LIMITS.site_signatures),
    named=_PAGES,
)
_form(
    ImageContext,
    src=_ADDRESS,
    tags=_row(*(_text(LIMITS.literal_bytes),) * 3),
    link=_ADDRESS | None,
    addresses=_many(_ADDRESS, 2 * LIMITS.srcset_items),
)
_form(PageImages, url=_ADDRESS, images=_many(_TYPED[ImageContext], LIMITS.page_images))
_form(ImageMarks, _marks_why, by=_text(LIMITS.name_chars), relevant=_ROWS, irrelevant=_ROWS)
_form(LabelledPage, _labelled_why, marks=_many(_TYPED[ImageMarks], LIMITS.annotators, least=1))
_form(
    SiteImages,
    _site_images_why,
    sources=_many(_row(_ADDRESS, _PAGES), LIMITS.site_signatures),
    signatures=_many(_row(_SIGNATURE, _PAGES, _PAGES), LIMITS.site_signatures),
    labelled=_many(_TYPED[LabelledPage], LIMITS.labelled_pages),
    method=_checked(40, _one_of(IMAGE_METHODS)),
    model=_kind(str, _read_model),
)
_form(
    Layout,
    _same_why("fields"),
    fields=_many(_TYPED[FieldRules], LIMITS.layout_fields),
    marks=_many(_literal(_full_why), LIMITS.layout_marks),
    shapes=_many(_ADDRESS, LIMITS.layout_marks),
    encodings=_many(_checked(40, _codec_why), 100),
    lists=_many(_TYPED[ListRules], LIMITS.layout_lists),
)
PROFILE = _form(
    Profile,
    _same_why("layouts"),
    layouts=_many(_TYPED[Layout], LIMITS.profile_layouts),
    fields=_many(_NAME, LIMITS.layout_fields),
    hosts=_many(_checked(253, _host_why), 1_000),
    learned=_checked(40, _time_why),
    named=_many(_NAME, LIMITS.layout_fields),
)
_FILE = _row(PROFILE)
