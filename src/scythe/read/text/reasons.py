"""Say why a page has no main text: a page comes in, the reason its own markup gives goes out."""

from __future__ import annotations

import re

from scythe.page import Page

_LITTLE = 1_500  # characters; error pages, walls and loading screens of the page sets stay below
_MISSING = re.compile(r"\b(?:404|410|not found|page not found|no longer available|does not exist)\b", re.IGNORECASE)
_SCRIPT_NEEDED = re.compile(
    r"\b(?:enable|requires?|turn on|activate) javascript\b|\bjavascript is (?:disabled|off|required)", re.I
)
_WALL = re.compile(
    r"\b(?:captcha|are you (?:a )?human|verify you are|checking your browser|unusual traffic)\b", re.IGNORECASE
)
_COOKIES = re.compile(
    r"\b(?:accept|use|uses|our|all|enable) cookies\b|\bcookie (?:policy|settings|consent)\b", re.IGNORECASE
)


def explain_empty(page: Page) -> str:
    """Return why nothing was kept, as far as the page shows it, or "" when there is no evidence."""
    if not page.html.strip():
        return "empty page"
    tree = page.tree
    if tree.css_first("frameset") is not None:
        return "frameset"
    text = " ".join(page.blocks.text)
    if len(text) > _LITTLE:
        return ""
    if tree.css_first('meta[http-equiv="refresh" i]') is not None:
        return "redirect by meta refresh"
    return _explain_little(page, text)


def _explain_little(page: Page, text: str) -> str:
    tree = page.tree
    if tree.css_first('input[type="password" i]') is not None:
        return "login wall"
    if _WALL.search(text):
        return "captcha wall"
    if _MISSING.search(page.metadata.title) or _MISSING.search(text):
        return "soft 404"
    unscripted = " ".join(node.text() for node in tree.css("noscript"))
    if _SCRIPT_NEEDED.search(text) or (_SCRIPT_NEEDED.search(unscripted)):
        return "only a script application"
    if not text:
        return "only a script application" if tree.css_first("script") is not None else "no text"
    return "cookie wall" if _COOKIES.search(text) else ""
