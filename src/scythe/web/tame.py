"""Make a style sheet of the web fit for a frame: its text comes in, without what fetches, covers or breaks looking.

Nothing depends on it for safety: the policy of a frame forbids all fetching, and a frame can do nothing. But what the
policy refuses the browser complains about, and what is fixed to a window or as high as it cannot be looked at in a
frame that is as high as its page. So: no addresses but pictures inside the sheet, no rules that only fetch or move, no
fixed places, no heights of windows, no filters, no sizes that no page has. One pass, linear in the text.
"""

from __future__ import annotations

import re

# at-rules that say when other rules hold; the rest fetches (import, font-face), moves (keyframes) or is for print
_KEPT_RULES = frozenset("container layer media scope supports".split())
_WINDOW_PX = 8.0  # of one hundredth of a window's height: frames are as high as their page, so 100vh would grow it
_MOST_PX = 20_000.0
_PX = {"px": 1.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "lh": 24.0, "rlh": 24.0, "pt": 4 / 3, "pc": 16.0}
_PX |= {"in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 1.0, "vw": 13.0, "%": 1.0}
_PX |= dict.fromkeys("vh svh lvh dvh vb vmin vmax".split(), _WINDOW_PX)
_WINDOW = frozenset("vh svh lvh dvh vb vmin vmax".split())
_STRING = r""""(?:[^"\\\n]++|\\.)*+"?|'(?:[^'\\\n]++|\\.)*+'?"""
_COMMENT = r"/\*(?:[^*]++|\*(?!/))*+(?:\*/)?"
_TOKEN = re.compile(
    rf"""
    (?P<string>{_STRING})
    | (?P<comment>{_COMMENT})
    | (?P<fetch>(?<![\w-])(?:-\w{{1,9}}-)?(?:url|src|image|image-set|cross-fade|element|paint|expression|binding)\()
    | @(?P<rule>-?[a-z][\w-]*+)
    | (?<![\w.\#-])(?P<number>[+-]?(?:\d{{1,30}}(?:\.\d{{0,30}})?|\.\d{{1,30}})(?:e[+-]?\d{{1,3}})?)
      (?P<unit>[sld]?vh|vb|vmin|vmax|vw|r?em|ex|ch|r?lh|px|pt|pc|in|cm|mm|q|%)(?![\w-])
    | (?P<filter>(?<![\w-])(?:-webkit-)?(?:backdrop-)?filter\s{{0,9}}:)
    | (?P<fixed>(?<![\w-])position\s{{0,9}}:\s{{0,9}}(?:-webkit-)?(?:fixed|sticky)(?![\w-]))
    """,
    re.X | re.I | re.S,
)
_NESTING = re.compile(rf"{_STRING}|{_COMMENT}|\\.|[(){{}}\[\];]", re.S)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\n\r\f]?|(.))", re.S)
_QUOTED = re.compile(r"\s*+[\"']")
_UNQUOTED = re.compile(r"(?:[^)\\]++|\\.)*+\)?", re.S)
_PICTURE = re.compile(r"\s{0,9}[\"']?data:image/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]", re.I)


def tame(css: str) -> str:
    """Return a style sheet, or the value of a style attribute, that asks for nothing and stays in its place."""
    if "\\" in css:
        css = _ESCAPE.sub(_unescape, css)
    out: list[str] = []
    at = 0
    while (token := _TOKEN.search(css, at)) is not None:
        out.append(css[at : token.start()])
        said, at = _answer(css, token)
        out.append(said)
    out.append(css[at:])
    return "".join(out).replace("</", "<\\/")  # an end tag in a text or comment would end the style element


def _answer(css: str, token: re.Match[str]) -> tuple[str, int]:
    """Return what is written for a token, and where to go on."""
    end = token.end()
    match token.lastgroup:
        case "comment":
            return " ", end
        case "fetch":
            return _fetch(css, token)
        case "rule":
            is_kept = token["rule"].lower() in _KEPT_RULES
            return (token[0], end) if is_kept else ("", _skip_rule(css, end))
        case "unit":
            return _size(token), end
        case "filter":
            return "--filter:", end  # a name that means nothing: some hundred of them stop a browser
        case "fixed":
            return "position:static", end
        case _:
            return token[0], end


def _fetch(css: str, token: re.Match[str]) -> tuple[str, int]:
    """Pass over something that names an address, unless the picture itself is inside."""
    is_address = token[0].lower() == "url("
    unquoted = _UNQUOTED.match(css, token.end()) if is_address and not _QUOTED.match(css, token.end()) else None
    end = unquoted.end() if unquoted is not None else _skip(css, token.end(), ")")
    if is_address and _PICTURE.match(css, token.end()):
        return css[token.start() : end], end
    return "none", end


def _size(token: re.Match[str]) -> str:
    unit = token["unit"].lower()
    pixels = float(token["number"]) * _PX[unit]
    if abs(pixels) > _MOST_PX:
        return f"{'-' if pixels < 0 else ''}{_MOST_PX:.0f}px"
    return f"{pixels:.6g}px" if unit in _WINDOW else token[0]


def _skip_rule(css: str, at: int) -> int:
    """Return where an at-rule ends: behind its semicolon or its block, before the end of the block it stands in."""
    for token in _NESTING.finditer(css, at):
        if token[0] == ";":
            return token.end()
        if token[0] == "}":
            return token.start()
        if token[0] == "{":
            return _skip(css, token.end(), "}")
    return len(css)


def _skip(css: str, at: int, closing: str) -> int:
    """Return where what is open at `at` ends. A brace ends whatever else was left open inside."""
    opening = "(" if closing == ")" else "{"
    depth = 1
    for token in _NESTING.finditer(css, at):
        said = token[0]
        if said == opening:
            depth += 1
        elif said == closing:
            depth -= 1
            if depth == 0:
                return token.end()
        elif closing == ")" and said in "{};":
            return token.start()
    return len(css)


def _unescape(escape: re.Match[str]) -> str:
    """Write an escaped letter as itself: `u\\72l(` is url( to a browser, too."""
    code, plain = escape.groups()
    if code is None:
        return str(plain) if plain.isascii() and plain.isalpha() else escape[0]
    letter = int(code, 16)
    return chr(letter) if letter < 128 and chr(letter).isalpha() else escape[0]
