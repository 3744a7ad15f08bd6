"""Find the formulas of a page and the TeX they were written in: MathML, KaTeX, MathJax, images and plain TeX in text.

What shows one formula several times over (for the eye, for screen readers, as an image) is one formula here. It is
looked for only when Markdown or HTML is asked for; the text of a page is what the page shows.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote_plus

from scythe.package_files import packaged_text
from scythe.page.blocks import BOX, KIND, Blocks, find_in

if TYPE_CHECKING:
    from scythe.page.map import Node
    from scythe.page.page import Page

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


_MOST_CHARS = 20_000  # of one formula
_MOST_ROOTS = 20_000  # of one page
_HINTS = ("<math", "math/tex", "mjx-", "MathJax", "latex", "data-math", "data-tex", "data-formula", "<MATH")
_TYPESET_BY = ("mathjax", "MathJax", "katex", "KaTeX", "tex2jax", "MATHJAX")
_SOURCES = ("data-math", "data-latex", "data-tex", "data-formula", "data-equation", "data-expr")
_WRAPPERS = frozenset(
    "katex katex-mathml katex-display mathjax mathjax_display mathjax_svg mathjax_chtml mathjax_preview mjx-chtml "
    "mjxc-display mjx_assistive_mathml mwe-math-element mwe-math-mathml-inline mwe-math-mathml-display "
    "mwe-math-mathml-a11y math-inline math-block math-display".split()
)
_WRAPPER_TAGS = frozenset("mjx-container mjx-assistive-mml mjx-math math-renderer".split())
_PICTURED = frozenset("latex tex math mathjax equation formula mathimg".split())
_TEX_SIGN = re.compile(r"[\\^_=]")
_SURE_SIGN = re.compile(r"\\[A-Za-z]|[\^_]")
_QUERY = re.compile(r"(?:latex|tex)\?(?:[a-z]*=)?([^#\s]{1,4000})|[?&](?:latex|tex|formula)=([^&#\s]{1,4000})", re.I)
_LIKE_MARKUP = re.compile(r"<(?=[A-Za-z/!?])|\](?=[(\[:])")
_BREAK_TAG = re.compile(r"<br ?/?>", re.I)
_TEX_TYPE = re.compile(r"^\s?math/tex", re.I)


class Formula(NamedTuple):
    """One formula as TeX, on a line of its own or in the line."""

    tex: str
    is_display: bool = False


@dataclass(slots=True)
class Formulas:
    """The formulas of one page by the elements that show them; `None` for what only repeats one."""

    roots: dict[int, Formula | None] = field(default_factory=dict)  # by mem_id of the outermost element around each
    before: dict[int, list[Formula]] = field(default_factory=dict)  # those without words, by the leaf they stand before
    after: dict[int, list[Formula]] = field(default_factory=dict)
    alone: list[tuple[int, int, Formula]] = field(default_factory=list)  # block before which, box in which, formula
    _known: dict[int, int] = field(default_factory=dict)  # node -> the outermost root around it, 0: none

    def around(self, node: Node | None) -> int:
        """Return the `mem_id` of the outermost root around a node, itself included; 0 where there is none."""
        path: list[int] = []
        while node is not None and node.mem_id not in self._known:
            path.append(node.mem_id)
            node = node.parent
        found = self._known[node.mem_id] if node is not None else 0
        for mem_id in reversed(path):
            found = found or (mem_id if mem_id in self.roots else 0)
            self._known[mem_id] = found
        return found


def find_formulas(page: Page) -> Formulas | None:
    """Return the formulas that elements of a page show; None where there are none."""
    if not page.mentions(*_HINTS):
        return None
    found = Formulas()
    nodes: dict[int, Node] = {}
    for node, formula in _read(page):
        if len(nodes) >= _MOST_ROOTS:
            break
        if node.mem_id not in nodes or found.roots[node.mem_id] is None:
            nodes[node.mem_id] = node
            found.roots[node.mem_id] = formula
    if not nodes:
        return None
    _place(page, found, nodes)
    return found


def _read(page: Page) -> Iterator[tuple[Node, Formula | None]]:
    """Yield elements with their formulas, and with None what a formula beside them repeats."""
    source = page.map
    for node in source.find("math"):
        tex = _tex_of_math(node)
        if tex:
            yield _outermost(node, tex)
    if page.mentions("mjx-"):
        for node in source.find("mjx-container"):
            if not _holds(node, "math") and (tex := to_tex(node)):
                yield _outermost(node, tex)
    for name in _SOURCES:
        if page.mentions(name):
            for node in source.having(name):
                tex = (node.attributes.get(name) or "").strip()
                if (tex and _TEX_SIGN.search(tex)) or _is_wrapper(node):
                    yield _outermost(node, tex)
    if page.mentions("math/tex"):
        for node in source.find("script"):
            kind = node.attributes.get("type") or ""
            if _TEX_TYPE.match(kind) and (tex := node.text(deep=True).strip()):
                yield node, Formula(_tidy(tex), "display" in kind)
                for shown in _shown_before(node):
                    yield shown, None
    for node in source.find("img"):
        if formula := _pictured(node):
            yield _outermost(node, formula.tex, formula.is_display)


def _tex_of_math(node: Node) -> str:
    """Return the TeX that a formula was made of or, where it does not say, what it is as TeX."""
    for note in find_in(node, "annotation"):
        if "tex" in (note.attributes.get("encoding") or "").lower() and (tex := note.text(deep=True).strip()):
            return str(tex)
    said = (node.attributes.get("alttext") or "").strip()
    if said and _TEX_SIGN.search(said):
        return said
    return to_tex(node)


def _outermost(node: Node, tex: str, is_display: bool = False) -> tuple[Node, Formula]:
    """Return the outermost element that only wraps a formula, and the formula."""
    is_display = is_display or _says_display(node)
    top, parent = node, node.parent
    while parent is not None and _is_wrapper(parent):
        source = next((said for name in _SOURCES if (said := parent.attributes.get(name))), "")
        tex = source.strip() or tex
        is_display = is_display or _says_display(parent)
        top, parent = parent, parent.parent
    return top, Formula(_tidy(tex), is_display)


def _is_wrapper(node: Node) -> bool:
    if node.tag in _WRAPPER_TAGS:
        return True
    attributes = node.attributes
    if not attributes:
        return False
    names = (attributes.get("class") or "").lower().split()
    return any(name in _WRAPPERS for name in names) or any(name in attributes for name in _SOURCES[:3])


def _says_display(node: Node) -> bool:
    attributes = node.attributes
    if attributes.get("display") in ("block", "true") or attributes.get("mode") == "display":
        return True
    names = (attributes.get("class") or "").lower()
    return "display" in names or "math-block" in names or "displaystyle" in names


def _holds(node: Node, tag: str) -> bool:
    """Say whether there is an element of this name a few steps inside a node, along its last children."""
    child = node.last_child
    for _ in range(8):
        while child is not None and child.tag == "-text":
            child = child.prev
        if child is None:
            return False
        if child.tag == tag:
            return True
        child = child.last_child
    return False


def _shown_before(script: Node) -> Iterator[Node]:
    """Yield what MathJax put before the source of a formula: what it shows, and what it showed until it had."""
    node = script.prev
    for _ in range(3):
        while node is not None and node.tag == "-text" and not (node.text_content or "").strip():
            node = node.prev
        if node is None or "mathjax" not in (node.attributes.get("class") or "").lower() or node.tag == "script":
            return
        yield node
        node = node.prev


def _pictured(node: Node) -> Formula | None:
    """Return the formula that an image shows, which its description or its address says."""
    attributes = node.attributes
    address = attributes.get("src") or attributes.get("data-src") or ""
    names = (attributes.get("class") or "").lower().split()
    said = _BREAK_TAG.sub(" ", (attributes.get("alt") or "")).strip()
    named = any(name in _PICTURED or name.startswith("mwe-math") for name in names)
    asked = _QUERY.search(address[:4_100])
    if not named and asked is None:
        return None
    if said and (named or _TEX_SIGN.search(said)):
        return Formula(_tidy(said), any("display" in name or "block" in name for name in names))
    return Formula(_tidy(_BREAK_TAG.sub(" ", unquote_plus(asked[1] or asked[2] or "")))) if asked is not None else None


def _tidy(tex: str) -> str:
    """Return TeX without the marks around it, and without lines that would end a block of Markdown."""
    tex = tex.strip()[:_MOST_CHARS]
    for opening, closing in (("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]"), ("[tex]", "[/tex]"), ("$", "$")):
        if tex.startswith(opening) and tex.endswith(closing) and len(tex) > len(opening) + len(closing):
            tex = tex[len(opening) : -len(closing)].strip()
            break
    if tex.startswith("{\\displaystyle ") and tex.endswith("}"):
        tex = tex[len("{\\displaystyle ") : -1]
    tex = _LIKE_MARKUP.sub(r"\g<0> ", tex)  # a space says nothing in a formula, and nothing of it reads as markup
    return "\n".join(line.strip() for line in tex.splitlines() if line.strip())


Key = tuple[int, int, int]


def _place(page: Page, found: Formulas, nodes: dict[int, Node]) -> None:
    """Find out where the formulas stand that show no words, between the leaves of blocks."""
    blocks, source = page.blocks, page.map
    rows = list(getattr(blocks.leaves, "rows", ()))
    keys: list[Key] = [(~row + 1, -1, 0) if row < 0 else (int(source.run_from[row]), 0, row) for row in rows]
    boxes = {node.mem_id: box for box, node in enumerate(blocks.box_node)}
    for mem_id, node in nodes.items():
        formula = found.roots[mem_id]
        if formula is None or found.around(node.parent):
            continue
        row = page.map.numbers[mem_id] if hasattr(page.map, "numbers") else node.row  # type: ignore[attr-defined]
        start = bisect_left(keys, (int(source.run_from[row]), 0, row))
        end = bisect_left(keys, (int(source.run_to[row]), 0, int(source.last[row])))
        if any(_block_of(blocks, leaf) >= 0 for leaf in range(start, end)):
            continue  # it shows words or an image: it is put where the first of them stands
        box = _box_around(node, boxes)
        before = _block_of(blocks, start - 1)
        after = _block_of(blocks, end)
        if before >= 0 and blocks.box[before] == box:
            found.after.setdefault(blocks.leaves[start - 1].mem_id, []).append(formula)
        elif after >= 0 and blocks.box[after] == box:
            found.before.setdefault(blocks.leaves[end].mem_id, []).append(formula)
        else:
            block = bisect_left(blocks.leaf_end, start + 1) if start < len(rows) else len(blocks)
            found.alone.append((block, box, formula))
    found.alone.sort(key=lambda one: one[0])


def _box_around(node: Node, boxes: dict[int, int]) -> int:
    above: Node | None = node
    while above is not None:
        if KIND.get(above.tag or "") == BOX and above.mem_id in boxes:
            return boxes[above.mem_id]
        above = above.parent
    return 0


def _block_of(blocks: Blocks, leaf: int) -> int:
    """Return the block that has a leaf, by number; -1 where none has."""
    if not 0 <= leaf < len(blocks.leaves):
        return -1
    block = bisect_left(blocks.leaf_end, leaf + 1)
    return block if block < len(blocks) and blocks.leaf_start[block] <= leaf else -1


_PAIRS = (("\\(", "\\)", False), ("\\[", "\\]", True), ("$$", "$$", True))
_ENVIRONMENTS = frozenset(
    "equation align gather multline eqnarray alignat flalign displaymath math split aligned cases matrix pmatrix "
    "bmatrix vmatrix array subequations".split()
)
_BEGIN = re.compile(r"\\begin\{([a-zA-Z]{1,20})(\*?)\}")
_OPENING = re.compile(r"\\[(\[]|\$\$?|\\begin\{")
_INLINE_CHARS = 1_000  # between single dollars
_DOLLARS_SET = re.compile(r"\[\s?\\?['\"]\$\\?['\"]\s?,\s?\\?['\"]\$\\?['\"]\s?\]|inlineMath[^\n]{0,40}['\"]\$['\"]")


_NOTHING = Formula("")
_SHOWS_NOTHING = ("\\begingroup", "\\endgroup", "\\newcommand", "\\renewcommand", "\\def", "\\require", "\\DeclareMath")


def _said(tex: str, is_display: bool = False) -> Formula:
    """Return a formula, an empty one for what only sets up others."""
    return _NOTHING if tex.strip().startswith(_SHOWS_NOTHING) else Formula(_tidy(tex), is_display)


class TexInText:
    """Tells TeX between its delimiters from the words around it."""

    def __init__(self, page: Page) -> None:
        self._is_typeset = page.mentions(*_TYPESET_BY)
        self._has_dollars = self._is_typeset and _DOLLARS_SET.search(page.html) is not None

    def split(self, text: str) -> list[str | Formula]:
        """Return words and formulas in their order; the text itself where it has none."""
        if "\\" not in text and "$" not in text:
            return [text]
        out: list[str | Formula] = []
        at = begun = 0
        while (opening := _OPENING.search(text, at)) is not None:
            found = self._read(text, opening)
            if found is None:
                at = opening.end()
                continue
            formula, end = found
            out += [text[begun : opening.start()], formula]
            at = begun = end
        out.append(text[begun:])
        return [part for part in out if part and part != _NOTHING]

    def _read(self, text: str, opening: re.Match[str]) -> tuple[Formula, int] | None:
        start, mark = opening.start(), opening[0]
        if mark.startswith("\\begin"):
            return self._read_environment(text, start)
        if mark == "$":
            return self._read_dollars(text, start)
        closing = next(pair for pair in _PAIRS if pair[0] == mark)
        end = text.find(closing[1], start + 2, start + _MOST_CHARS)
        tex = text[start + 2 : end] if end > 0 else ""
        if not tex.strip() or not (self._is_typeset or _SURE_SIGN.search(tex)):
            return None
        return _said(tex, closing[2]), end + 2

    def _read_environment(self, text: str, start: int) -> tuple[Formula, int] | None:
        begin = _BEGIN.match(text, start)
        if begin is None or begin[1] not in _ENVIRONMENTS:
            return None
        closing = f"\\end{{{begin[1]}{begin[2]}}}"
        end = text.find(closing, begin.end(), start + _MOST_CHARS)
        if end < 0:
            return None
        return Formula(_tidy(text[start : end + len(closing)]), True), end + len(closing)

    def _read_dollars(self, text: str, start: int) -> tuple[Formula, int] | None:
        """Read what stands between single dollars, which may be prices as well."""
        end = text.find("$", start + 1, start + _INLINE_CHARS)
        tex = text[start + 1 : end] if end > 0 else ""
        if not tex.strip() or text[start - 1 : start] == "\\" or tex[-1] == "\\":
            return None
        if self._has_dollars:
            return _said(tex), end + 1
        if tex[0].isspace() or tex[-1].isspace() or text[end + 1 : end + 2].isdigit():
            return None
        return (_said(tex), end + 1) if _SURE_SIGN.search(tex) and self._is_typeset else None
