"""Read code as it is shown: line breaks and indents kept, numbers of lines left out, with the language it names."""

from __future__ import annotations

import re
from itertools import takewhile
from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple

from scythe.page.blocks import BOX, BREAK, KIND, PRE, SKIP, Blocks, find_in, nodes_above

if TYPE_CHECKING:
    from scythe.page.map import Node

_NUMBERS = frozenset(  # classes in which highlighters put the number of a line
    "lineno linenos linenumber linenumbers line-number line-numbers linenum lnt ln lno gutter hljs-ln-numbers "
    "hljs-ln-line-numbers react-syntax-highlighter-line-number rouge-gutter blob-num line-numbers-rows".split()
)
_LINES = frozenset("line code-line token-line view-line cl hljs-ln-line".split())  # and its words
_SURE = re.compile(r"(?:^|\s)(?:language|lang|brush|highlight-source)[-:]\s?([\w+#.-]{1,24})")
_LIKELY = re.compile(r"(?:^|\s)(?:highlight-|sourceCode |highlight |hljs |chroma )([a-z][\w+#.-]{0,23})")
_NO_LANGUAGE = frozenset(
    "none text plain plaintext default notranslate highlight source code block numberlines table-wrapper wrapper "
    "ar cs da de el en es fa fi fr he hi hu id it ja ko nl no pl pt ru sv th tr uk vi zh".split()
)
_LANGUAGE_KEYS = ("data-lang", "data-language", "data-code-language", "data-enlighter-language")
_CLIMBED = 8  # elements above the code whose names are looked at
_NEAR = 4  # of them that may name it in passing
_TOPS = frozenset("body html main article section".split())
_FEW = 3  # lines from which numbers in a row are those of lines, whatever their class
_MOST_NODES = 200_000  # of one block

Piece = tuple[str, int]  # text, and the element it stands in
Line = list[Piece]


class CodeRun(NamedTuple):
    """Blocks that are code without a pre around: the first of them, the one after them, and the element."""

    start: int
    end: int
    node: Node


class Code:
    """The code of one page: which blocks hold it without a pre, and which only number its lines."""

    def __init__(self, blocks: Blocks, *, has_code: bool = True, has_languages: bool = True) -> None:
        self._blocks = blocks
        self._has_languages = has_languages  # in attributes
        self.numbers: set[int] = set()  # blocks
        self.tables: set[int] = set()  # boxes of tables that only set numbers beside lines
        self.runs: dict[int, CodeRun] = {}  # by block
        if has_code:
            self._find_numbers()
            self._find_runs()
            self._find_boxes_of_lines()

    def _find_numbers(self) -> None:
        """Find the cells beside code that number its lines."""
        blocks = self._blocks
        for box, tag in enumerate(blocks.box_tag):
            if tag != "td" or blocks.box_end[box] == blocks.box_start[box]:
                continue
            words = " ".join(blocks.text[blocks.box_start[box] : blocks.box_end[box]]).split()
            if not _counts(words) or not (len(words) > 1 or _is_number_box(blocks, box)):
                continue
            row = blocks.box_parent[box]
            if any(self._is_code_cell(one) for one in range(box + 1, len(blocks.box_tag)) if self._is_beside(one, row)):
                self.numbers.update(range(blocks.box_start[box], blocks.box_end[box]))
                while row >= 0 and blocks.box_tag[row] != "table":
                    row = blocks.box_parent[row]
                self.tables.add(row)

    def _is_beside(self, box: int, row: int) -> bool:
        return self._blocks.box_parent[box] == row and self._blocks.box_tag[box] == "td"

    def _is_code_cell(self, box: int) -> bool:
        return bool(find_in(self._blocks.box_node[box], "pre", "code"))

    def _find_runs(self) -> None:
        """Find the lines that stand in one code as a whole, and the boxes that name a language."""
        blocks, at = self._blocks, 0
        while at < len(blocks):
            if blocks.plain[at] and not self._has_languages:
                at += 1
                continue
            box, start = blocks.box[at], at
            node = blocks.box_node[box]
            named = self._has_languages and blocks.box_tag[box] in ("p", "div", "figure") and _names_language(node)
            code = node if named else self._code_of(start)
            at += 1
            while code is not None and at < len(blocks) and blocks.box[at] == box:
                if not named and (blocks.breaks[at] == 0 or self._code_of(at, code) is None):
                    break
                at += 1
            if code is not None and self._is_run(code, start, at, named=named):
                run = CodeRun(start, at, code)
                self.runs.update(dict.fromkeys(range(start, at), run))

    def _code_of(self, block: int, known: Node | None = None) -> Node | None:
        """Return the code that all words of a block stand in."""
        blocks = self._blocks
        if blocks.plain[block]:
            return None
        for leaf in blocks.leaves[blocks.leaf_start[block] : blocks.leaf_end[block]]:
            if leaf.tag == "-text" and not (leaf.text_content or "").strip():
                continue
            code = _code_around(leaf)
            if code is None or (known is not None and known.mem_id != code.mem_id):
                return None
            known = code
        return known

    def _find_boxes_of_lines(self) -> None:
        """Find the boxes in which every line is a box of its own that holds nothing but code."""
        blocks = self._blocks
        in_code: dict[int, bool] = {}
        end = 0
        for box, tag in enumerate(blocks.box_tag):
            inside = range(blocks.box_start[box], blocks.box_end[box])
            if tag not in ("div", "figure") or len(inside) < 2 or inside.start < end or blocks.box[inside.start] == box:
                continue
            for block in inside:
                if block not in in_code:
                    in_code[block] = block not in self.runs and self._is_all_code(block)
                if not in_code[block] or blocks.box_tag[blocks.box[block]] != "div":
                    break
            else:
                end = inside.stop
                run = CodeRun(inside.start, inside.stop, blocks.box_node[box])
                self.runs.update(dict.fromkeys(inside, run))

    def _is_all_code(self, block: int) -> bool:
        blocks = self._blocks
        leaves = blocks.leaves[blocks.leaf_start[block] : blocks.leaf_end[block]]
        words = (leaf for leaf in leaves if leaf.tag != "-text" or (leaf.text_content or "").strip())
        return not blocks.plain[block] and all(_code_around(leaf) is not None for leaf in words)

    def _is_run(self, node: Node, start: int, end: int, *, named: bool) -> bool:
        """Say whether code has several lines, or says that it is a block."""
        blocks = self._blocks
        if blocks.box_tag[blocks.box[start]] in PRE or blocks.box_tag[blocks.box[start]] in ("td", "th", "dt"):
            return False
        if named and (start, end) != (blocks.box_start[blocks.box[start]], blocks.box_end[blocks.box[start]]):
            return False
        if not named and "".join(node.text(deep=True).split()) != "".join("".join(blocks.text[start:end]).split()):
            return False  # some of it stands elsewhere
        if "block" in (node.attributes.get("class") or "").split() or end - start > 1:
            return True
        return "\n" in (blocks.text[start] if named and find_in(node, "pre") else read_code(node))


def _names_language(node: Node) -> bool:
    return any(name in node.attributes for name in _LANGUAGE_KEYS)


def find_language(node: Node) -> str:
    """Return the language that the code in an element is said to be in, or an empty string."""
    above = takewhile(lambda one: one.tag not in _TOPS, nodes_above(node, _CLIMBED))
    near = [*find_in(node, "code")[:1], node, *above]
    for number, one in enumerate(near):
        if name := _language_of(one, is_near=number < _NEAR):
            return name
    return ""


def _code_around(leaf: Node) -> Node | None:
    """Return the outermost code that a leaf stands in, inside its box."""
    found, node = None, leaf.parent
    while node is not None and KIND.get(node.tag or "") != BOX:
        found = node if node.tag == "code" else found
        node = node.parent
    return found


def _is_number_box(blocks: Blocks, box: int) -> bool:
    names = blocks.box_names[box].lower().split()
    return any(name in _NUMBERS for name in names)


def _counts(words: list[str]) -> bool:
    """Say whether words are numbers that grow by one."""
    if not words or not all(word.isdecimal() and len(word) < 7 for word in words):
        return False
    first = int(words[0])
    return all(int(word) == first + number for number, word in enumerate(words))


def _language_of(node: Node, *, is_near: bool) -> str:
    attributes = node.attributes
    if not attributes:
        return ""
    for key in _LANGUAGE_KEYS:
        said = (attributes.get(key) or "").strip().lower()
        if said and len(said) < 25 and said not in _NO_LANGUAGE and " " not in said:
            return said
    names = (attributes.get("class") or "")[:300]
    found = _SURE.search(names) or (_LIKELY.search(names) if is_near else None)
    name = found[1].lower().rstrip(".-") if found else ""
    return "" if name in _NO_LANGUAGE else name


def read_code(node: Node) -> str:
    """Return the text in an element with its own line breaks and indents, without the numbers of its lines."""
    lines = _without_numbers(_read_lines(node))
    written = ["".join(text for text, _ in line).replace("\xa0", " ").rstrip() for line in lines]
    texts = dedent("\n".join(written)).split("\n")  # what all lines are indented by says nothing
    while texts and not texts[-1]:
        texts.pop()
    begin = next((number for number, text in enumerate(texts) if text), 0)
    return "\n".join(texts[begin:])


def _read_lines(root: Node) -> list[Line]:
    """Walk an element, without recursion, and return its lines."""
    lines: list[Line] = [[]]
    opened: list[tuple[Node, int]] = []  # elements under way; of those that begin a line, how many lines there were
    has_breaks = "\n" in root.text(deep=True) or bool(find_in(root, "br"))
    node = root.first_child
    ends_line = False
    for _ in range(_MOST_NODES):
        if node is None:
            if not opened:
                break
            node, begun = opened.pop()
            if begun and lines[-1]:
                ends_line = True
            elif begun and len(lines) == begun and not lines[-1]:
                ends_line = False
            node = node.next
            continue
        tag = node.tag or ""
        kind = KIND.get(tag)
        if tag == "-text":
            parent = node.parent.mem_id if node.parent is not None else 0
            text = node.text_content or ""
            if ends_line and text.strip():
                lines.append([])
                ends_line = False
            elif ends_line:
                text = text.lstrip("\n") if "\n" in text else ""
                if "\n" in (node.text_content or ""):
                    lines.append([])
                    ends_line = False
            for number, part in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")):
                if number:
                    lines.append([])
                if part:
                    lines[-1].append((part, parent))
            node = node.next
        elif kind == BREAK:
            lines.append([])
            ends_line = False
            node = node.next
        elif kind == SKIP or _is_number(node):
            node = node.next
        else:
            begins = (kind == BOX and tag not in ("td", "th")) or (not has_breaks and _is_line(node))
            if begins and (ends_line or lines[-1]):
                lines.append([])
                ends_line = False
            opened.append((node, len(lines) if begins else 0))
            node = node.first_child
    return lines


def _is_line(node: Node) -> bool:
    return any(name in _LINES for name in (node.attributes.get("class") or "").split())


def _is_number(node: Node) -> bool:
    """Say whether an element holds the numbers of lines, by its class or because it cannot be selected."""
    attributes = node.attributes
    if not attributes:
        return False
    names = (attributes.get("class") or "").lower().split()
    is_said = any(name in _NUMBERS for name in names)
    if not is_said and "user-select:none" not in (attributes.get("style") or "").replace(" ", ""):
        return False
    words = node.text(deep=True, separator=" ")[:100_000].split()
    return all(word.isdecimal() for word in words)


def _without_numbers(lines: list[Line]) -> list[Line]:
    """Drop numbers that grow by one, each in an element of its own: the first piece of every line, or lines between."""
    solid = [[piece for piece in line if piece[0].strip()] for line in lines]
    numbered = [words for words in solid if words]
    if len(numbered) < _FEW:
        return lines
    if _counts([words[0][0].strip() for words in numbered]):
        if any(len(words) > 1 and words[0][1] == words[1][1] for words in numbered):
            return lines
        return [line[line.index(words[0]) + 1 :] if words else line for line, words in zip(lines, solid, strict=True)]
    alone = [len(words) == 1 and words[0][0].strip().isdecimal() for words in solid]
    found = [words[0][0].strip() for words, is_alone in zip(solid, alone, strict=True) if is_alone]
    if not alone[0] or len(found) < _FEW or 2 * len(found) < len(lines) or not _counts(found):
        return lines
    following = [*alone[1:], True]
    return [
        [] if here else line for line, here, after in zip(lines, alone, following, strict=True) if not here or after
    ]
