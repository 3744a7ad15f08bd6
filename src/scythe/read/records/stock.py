"""Find whether a page's subject can be had, as the page shows it: page and lines come in, a state goes out."""

from __future__ import annotations

from scythe.page import Page
from scythe.read.records.typed import phrase_state
from scythe.read.records.visible import Lines

_AFTER, _BEFORE = 200, 20  # leaves around the name that may say so
_TEXT = 60  # characters
_BUTTONS = 60  # looked at on one page


def find_state(page: Page, lines: Lines, name_leaf: int) -> str:
    """Return the availability stated nearest behind the subject's name: by a phrase, else by a button."""
    elements = page.elements
    start = max(0, name_leaf - _BEFORE)
    for leaf in range(start, min(len(elements.text), name_leaf + _AFTER)):
        text = elements.text[leaf]
        if len(text) <= _TEXT and not lines.aside[elements.leaf_row[leaf]] and (state := phrase_state(text.lower())):
            return state
    for node in page.tree.css("input[type=submit],input[type=button],input[type=image],button")[:_BUTTONS]:
        attributes = node.attributes
        text = " ".join(attributes.get(name) or "" for name in ("value", "title", "alt", "aria-label"))
        if text.strip() and (state := phrase_state(text.lower())):
            return state
    return ""
