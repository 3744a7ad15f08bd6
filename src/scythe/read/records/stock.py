"""Find whether a page's subject can be had, as the page shows it: page and lines come in, a state goes out."""

from __future__ import annotations

from scythe.page import Page
from scythe.read.records.typed import phrase_state
from scythe.read.records.visible import Lines, text_between

_AFTER, _BEFORE = 200, 20  # leaves around the name that may say so
_TEXT = 60  # characters
_BUTTONS = 60  # looked at on one page


def find_state(page: Page, lines: Lines, name_leaf: int) -> str:
    """Return the availability stated nearest behind the subject's name: by a phrase, else by a button."""
    elements = page.elements
    last = min(len(elements.text), name_leaf + _AFTER) - 1
    if last < 0:
        return ""
    for line in range(lines.of_leaf[max(0, name_leaf - _BEFORE)], lines.of_leaf[last] + 1):
        start, end = lines.start[line], lines.end[line]
        text = text_between(elements, start, end, _TEXT + 1)
        if len(text) <= _TEXT and not lines.aside[elements.leaf_row[start]] and (state := phrase_state(text.lower())):
            return state
    for node in page.tree.css("input[type=submit],input[type=button],input[type=image],button")[:_BUTTONS]:
        attributes = node.attributes
        text = " ".join(attributes.get(name) or "" for name in ("value", "title", "alt", "aria-label"))
        if text.strip() and (state := phrase_state(text.lower())):
            return state
    return ""
