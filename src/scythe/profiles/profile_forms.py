"""What each part of a profile file looks like: the forms of all records of a profile."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.model import ImageContext, PageImages
from scythe.page.labels import web_codecs
from scythe.page.token_tables import from_plain
from scythe.profiles.profile_values import Count, Flag, Literal, Many, Maybe, Plain, Record, Row, Share, Text
from scythe.rules import (
    ATTRIBUTE,
    FLOW,
    IMAGE_METHODS,
    KINDS,
    RELEVANCE,
    TAKES,
    ColumnRules,
    FieldRules,
    ImageArea,
    ImageRules,
    LabelledPage,
    Layout,
    Marks,
    Profile,
    RegionRules,
    Rule,
    SiteImages,
    Usual,
    Way,
)

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


def _region_why(rules: RegionRules) -> str:
    if rules.present > rules.pages:
        return "present on more pages than there were"
    if any(way.repeats or way.take != FLOW for way in rules.holder):
        return "the way to the element around records leads to one element and takes flow"
    return "" if rules.fewest <= rules.most else "fewest and most must ascend"


def _marks_why(marks: Marks) -> str:
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

RULE = Record(
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
WAY = Record(
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
USUAL = Record(
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
FIELD = Record(FieldRules, {"name": Text(200, _name_why), "ways": Many(WAY, LIMITS.field_ways), "usual": USUAL})
COLUMN = Record(ColumnRules, {"name": Text(200, _name_why), "places": Many(Text(LIMITS.place_chars), LIMITS.places)})
REGION = Record(
    RegionRules,
    {
        "heads": Many(Literal(_opening_why), LIMITS.region_literals, least=1),
        "columns": Many(COLUMN, LIMITS.region_columns, least=1, key=lambda column: str(column.name)),
        "members": Many(Literal(_opening_why), LIMITS.region_literals),
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
    _region_why,
)
_SIGNATURE = Text(LIMITS.place_chars)
_ADDRESS = Text(LIMITS.url_chars)
_THOUSANDTHS = Count(0, 1_000)
_PATH = Many(_SIGNATURE, LIMITS.depth)
_ROWS = Many(Count(0, LIMITS.page_images), LIMITS.page_images)
IMAGE_AREA = Record(
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
IMAGE_RULES = Record(
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
IMAGE_CONTEXT = Record(
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
PAGE_IMAGES = Record(
    PageImages,
    {
        "url": _ADDRESS,
        "title": _WORDS,
        "text_chars": _OFFSET,
        "has_meta": Flag(),
        "images": Many(IMAGE_CONTEXT, LIMITS.page_images),
    },
)
MARKS = Record(Marks, {"by": Text(LIMITS.name_chars), "relevant": _ROWS, "irrelevant": _ROWS}, _marks_why)
LABELLED = Record(LabelledPage, {"page": PAGE_IMAGES, "marks": Many(MARKS, LIMITS.annotators, least=1)}, _labelled_why)
SITE_IMAGES = Record(
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
LAYOUT = Record(
    Layout,
    {
        "name": Text(200, _name_why),
        "fields": Many(FIELD, LIMITS.layout_fields, key=lambda field: str(field.name)),
        "marks": Many(Literal(_full_why), LIMITS.layout_marks),
        "shapes": Many(Text(LIMITS.url_chars), LIMITS.layout_marks),
        "encodings": Many(Text(40, _codec_why), 100),
        "pages": _PAGES,
        "boilerplate": Many(_WORDS, LIMITS.shared_texts),
        "regions": Many(REGION, LIMITS.layout_regions),
        "images": IMAGE_RULES,
    },
)
PROFILE = Record(
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
