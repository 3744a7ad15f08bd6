"""Find how to reach a page's subject where no label says so: elements and lines come in, pairs go out.

Microformat classes (hCard) name the parts of an address; telephone numbers, web and mail addresses are known by their
form, and believed only near the subject's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from scythe.page.elements import Elements
from scythe.read.records.dictionary import concept_of
from scythe.read.records.visible import Lines, text_between

Pair = tuple[str, str]

_NEAR = 120  # leaves behind the name
_VALUE = 200
_CLASSES = {
    "street-address": "street_address",
    "locality": "locality",
    "region": "region",
    "postal-code": "postal_code",
    "country-name": "country",
    "tel": "phone",
}
_PHONE = re.compile(
    r"(?:\+\d{1,3}[ .-]?)?\(?\d{2,5}\)?[ ./-]{1,2}\d{2,5}(?:[ ./-]\d{2,5}){0,3}(?: ?(?:x|ext\.?) ?\d{1,5})?"
)
_WEB = re.compile(r"(?:https?://|www\.)[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}(?:/\S{0,100})?")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_DIGITS = range(9, 16)  # of a telephone number; seven are too many things


def find_contacts(elements: Elements, lines: Lines, name_leaf: int) -> list[Pair]:
    """Return the first telephone number, address parts, web and mail address that belong to the subject."""
    found: dict[str, str] = {}
    for name, value in (*_by_class(elements, lines), *_by_form(elements, lines, name_leaf)):
        found.setdefault(name, value)
    return list(found.items())


def _by_class(elements: Elements, lines: Lines) -> Iterator[Pair]:
    for row, classes in enumerate(elements.classes):
        if not classes or len(classes) > _VALUE or lines.aside[row]:
            continue
        for word in classes.split():
            start, end = elements.leaf_start[row], elements.leaf_end[row]
            if word in _CLASSES and 0 < end - start <= 6:
                value = text_between(elements, start, end, _VALUE)
                if word != "tel" or _PHONE.search(value):
                    yield _CLASSES[word], value


def _by_form(elements: Elements, lines: Lines, name_leaf: int) -> Iterator[Pair]:
    if name_leaf < 0:
        return
    for leaf in range(name_leaf + 1, min(len(elements.text), name_leaf + _NEAR)):
        text = elements.text[leaf].strip(" |,;")
        if len(text) > _VALUE or lines.aside[elements.leaf_row[leaf]]:
            continue
        if _PHONE.fullmatch(text) and sum(map(str.isdigit, text)) in _DIGITS:
            if concept_of(elements.text[leaf - 1]) in (None, "phone"):
                yield "phone", text
        elif _WEB.fullmatch(text):
            yield "website", text
        elif _MAIL.fullmatch(text):
            yield "email", text
