"""Write MathML, and what MathJax makes of it, as TeX. No recursion: formulas may nest deeper than the stack."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from scythe.package_files import packaged_text

if TYPE_CHECKING:
    from scythe.page.map import Node

Parts = list[tuple[str, str]]  # what the children of an element are written as: their place, "" for most, and the TeX

_MOST_NODES = 20_000  # of one formula
_SKIPPED = frozenset(
    "annotation annotation-xml mphantom none mprescripts malignmark maligngroup "
    "mjx-assistive-mml spacer mjx-strut mjx-nstrut mjx-dstrut mjx-tstrut mjx-line mjx-surd".split()
)
_TOKENS = frozenset("mi mn mo mtext ms".split())
_PLACES = frozenset("num den over under base script root".split())  # what MathJax wraps the parts of an element in
_OPEN_PARTS = frozenset("frac dbox dtable row box sqrt table itable mjx-math".split())  # wrappers that say nothing
_FUNCTIONS = frozenset(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max "
    "min Pr sec sin sinh sup tan tanh".split()
)
_ACCENTS = {
    sign: name
    for name, signs in {
        "hat": "^ ˆ",
        "tilde": "~ ˜ \\sim",
        "overline": "¯ ‾ ― _ \\_",
        "vec": "\\rightarrow ⃗",
        "dot": "˙ .",
        "ddot": "¨",
        "check": "ˇ",
        "overbrace": "⏞ ︷",
    }.items()
    for sign in signs.split()
}
_BELOW = dict.fromkeys("⏟ ︸".split(), "underbrace") | dict.fromkeys("¯ ‾ _ \\_".split(), "underline")
_STACKED = tuple(r"\sum \prod \coprod \int \iint \oint \big \lim \max \min \sup \inf".split())
_MATRIX = "\\begin{matrix}"
_MATRICES = {"()": "pmatrix", "[]": "bmatrix"}
_BRACKETS = {"(": "open", "[": "open", "\\{": "open", ")": "close", "]": "close", "\\}": "close"}
_VARIANTS = {"bold": "mathbf", "double-struck": "mathbb", "script": "mathcal", "fraktur": "mathfrak"}
_STYLED = "\U0001d400"  # from here on letters are letters in a style
_INVISIBLE = "\u2061\u2062\u2063\u2064\u200b\ufeff"


def to_tex(root: Node) -> str:
    """Return a formula as TeX, on one line; an empty string for one without content or beyond the limit."""
    frames: list[tuple[Node, Parts]] = [(root, [])]
    node = root.first_child
    seen = 0
    while frames:
        if node is None:
            done, parts = frames.pop()
            if not frames:
                return " ".join(_join(_write(done, parts)).split())
            frames[-1][1].extend(_write(done, parts))
            node = done.next
            continue
        seen += 1
        if seen > _MOST_NODES:
            return ""
        tag = node.tag or ""
        if tag.startswith(("-", "!")) or tag in ("script", "style") or _local(tag) in _SKIPPED or tag in _SKIPPED:
            node = node.next
        else:
            frames.append((node, []))
            node = node.first_child
    return ""


def _local(tag: str) -> str:
    return tag.rpartition(":")[2].removeprefix("mjx-")


def _join(parts: Parts) -> str:
    """Return the parts of a row; brackets that belong together grow with what is between them."""
    texts = [text for _, text in parts]
    opened: list[int] = []
    for at, (place, text) in enumerate(parts):
        if place == "open":
            opened.append(at)
        elif place == "close" and opened:
            start = opened.pop()
            if (
                at == start + 2
                and texts[start + 1].startswith(_MATRIX)
                and (name := _MATRICES.get(texts[start] + text))
            ):
                texts[start + 1] = texts[start + 1].replace("{matrix}", f"{{{name}}}")
                texts[start] = texts[at] = ""
            else:
                texts[start], texts[at] = f"\\left{texts[start]}", f"\\right{text}"
    return " ".join(text for text in texts if text)


def _write(node: Node, parts: Parts) -> Parts:
    """Return what one element is written as, given its children."""
    tag = _local(node.tag or "")
    if tag in _PLACES and (node.tag or "").startswith("mjx-"):
        return [(tag, _join(parts))] if tag != "script" else [("script", text) for _, text in parts]
    if tag in _OPEN_PARTS:
        return parts
    if tag in _TOKENS:
        text = _write_token(node, tag)
        grows = tag == "mo" and node.attributes.get("stretchy") != "false"
        return [(_BRACKETS.get(text, "") if grows else "", text)]
    write = _WRITERS.get(tag)
    if write is not None:
        return [("row" if tag in ("mtr", "mlabeledtr") else "", write(node, parts))]
    return [("", _join(parts))]


def _write_token(node: Node, tag: str) -> str:
    text = "".join(letter for letter in _text_of(node) if letter not in _INVISIBLE)
    if tag in ("mtext", "ms"):
        return f"\\text{{{text}}}" if text.strip() else "\\ " if text else ""
    text = "".join(unicodedata.normalize("NFKC", letter) if letter >= _STYLED else letter for letter in text.strip())
    variant = _VARIANTS.get(node.attributes.get("mathvariant") or "")
    if variant and tag != "mo" and text.isascii() and text:
        return f"\\{variant}{{{text}}}"
    if tag == "mi" and len(text) > 1 and text.isalpha() and text.isascii():
        return f"\\{text}" if text in _FUNCTIONS else f"\\mathrm{{{text}}}"
    if tag == "mo" and text in _FUNCTIONS:
        return f"\\{text}"
    symbols = _symbols()
    return " ".join(symbols.get(letter, letter) for letter in text) if not text.isascii() or len(text) == 1 else text


def _text_of(node: Node) -> str:
    """Return the characters of a token; MathJax names them in a class where its style sheet shows them."""
    said = node.text(deep=True)
    if said.strip() or not (node.tag or "").startswith("mjx-"):
        return said
    letters, child = [], node.first_child
    while child is not None:
        if child.tag == "mjx-c":
            code = next(iter((child.attributes.get("class") or "").split()), "").removeprefix("mjx-c")
            if 1 < len(code) < 7 and all(digit in "0123456789ABCDEFabcdef" for digit in code):
                letters.append(chr(int(code, 16)) if int(code, 16) < 0x110000 else "")
        child = child.next
    return "".join(letters)


def _plain(parts: Parts, count: int) -> list[str]:
    texts = [text for _, text in parts]
    return (texts + [""] * count)[:count]


def _placed(parts: Parts, *places: str) -> list[str] | None:
    """Return the parts in these places, None where the element does not name places."""
    named = dict(parts)
    return [named.get(place, "") for place in places] if any(place in named for place in places) else None


def _base_and_scripts(parts: Parts) -> tuple[str, list[str]]:
    scripts = [text for place, text in parts if place == "script"]
    others = [text for place, text in parts if place != "script"]
    return (others[0] if others else ""), scripts or others[1:]


def _fraction(node: Node, parts: Parts) -> str:
    top, bottom = _placed(parts, "num", "den") or _plain(parts, 2)
    if (node.attributes.get("linethickness") or "").strip("0.pxtem") == "" and "linethickness" in node.attributes:
        return f"{{{top} \\atop {bottom}}}"
    return f"\\frac{{{top}}}{{{bottom}}}"


def _root(node: Node, parts: Parts) -> str:
    base, index = _placed(parts, "base", "root") or _plain(parts, 2)
    return f"\\sqrt[{index}]{{{base}}}"


def _lower(node: Node, parts: Parts) -> str:
    base, scripts = _base_and_scripts(parts)
    return f"{_grouped(base)}_{{{' '.join(scripts)}}}"


def _raise(node: Node, parts: Parts) -> str:
    base, scripts = _base_and_scripts(parts)
    text = " ".join(scripts)
    return f"{base}{text}" if text and not text.strip("'") else f"{_grouped(base)}^{{{text}}}"


def _lower_and_raise(node: Node, parts: Parts) -> str:
    base, scripts = _base_and_scripts(parts)
    if any(place == "script" for place, _ in parts):  # MathJax shows the upper one first
        scripts = scripts[::-1]
    low, high = ([*scripts, "", ""])[:2]
    return f"{_grouped(base)}_{{{low}}}^{{{high}}}"


def _grouped(base: str) -> str:
    return f"{{{base}}}" if "^" in base or "_" in base or " " in base.strip() else base


def _under(node: Node, parts: Parts) -> str:
    base, low = _placed(parts, "base", "under") or _plain(parts, 2)
    if low in _BELOW:
        return f"\\{_BELOW[low]}{{{base}}}"
    return f"{base}_{{{low}}}" if base.startswith(_STACKED) else f"\\underset{{{low}}}{{{base}}}"


def _over(node: Node, parts: Parts) -> str:
    base, high = _placed(parts, "base", "over") or _plain(parts, 2)
    if high in _ACCENTS:
        return f"\\{_ACCENTS[high]}{{{base}}}"
    return f"{base}^{{{high}}}" if base.startswith(_STACKED) else f"\\overset{{{high}}}{{{base}}}"


def _under_and_over(node: Node, parts: Parts) -> str:
    base, low, high = _placed(parts, "base", "under", "over") or _plain(parts, 3)
    return f"{base}_{{{low}}}^{{{high}}}"


def _fenced(node: Node, parts: Parts) -> str:
    said = node.attributes
    opening, closing = said.get("open") or "(", said.get("close") or ")"
    inner = f" {(said.get('separators') or ',')[:1]} ".join(text for _, text in parts)
    return f"\\left{_symbols().get(opening, opening)} {inner} \\right{_symbols().get(closing, closing)}"


def _table_row(node: Node, parts: Parts) -> str:
    cells = [text for _, text in parts]
    if _local(node.tag or "") == "mlabeledtr" and cells:
        return f"{' & '.join(cells[1:])} \\tag{{{cells[0]}}}"
    return " & ".join(cells)


def _table(node: Node, parts: Parts) -> str:
    rows = [text for _, text in parts]
    if len(rows) == 1:
        return rows[0].replace(" & ", " ")
    aligned = "right" in (node.attributes.get("columnalign") or "")
    name = "aligned" if aligned else "matrix"
    lines = " \\\\ ".join(rows)
    return f"\\begin{{{name}}}{lines}\\end{{{name}}}"


def _square_root(node: Node, parts: Parts) -> str:
    named = _placed(parts, "base")
    return f"\\sqrt{{{named[0] if named else _join(parts)}}}"


_WRITERS: dict[str, Callable[[Node, Parts], str]] = {
    "mfrac": _fraction,
    "msqrt": _square_root,
    "mroot": _root,
    "msub": _lower,
    "msup": _raise,
    "msubsup": _lower_and_raise,
    "munder": _under,
    "mover": _over,
    "munderover": _under_and_over,
    "mfenced": _fenced,
    "mtr": _table_row,
    "mlabeledtr": _table_row,
    "mtable": _table,
    "mspace": lambda node, parts: "",
}


@cache
def _symbols() -> dict[str, str]:
    lines = packaged_text("scythe.page", "tables/tex_symbols.txt").splitlines()
    words = " ".join(line for line in lines if not line.startswith("# ")).split()
    return dict(zip(words[::2], words[1::2], strict=True))
