"""Text out of raw bytes, as src/cut/text.c has it: runs of bytes come in, squeezed text goes out, or None in doubt."""

from __future__ import annotations

import re
from html.entities import html5

_REFERENCE = re.compile(r"&(?:#([xX][0-9a-fA-F]+|[0-9]+);?|([A-Za-z0-9]{1,32})(;?))")
_WINDOWS = bytes(range(0x80, 0xA0)).decode("cp1252", "replace")
_LONGEST_BARE = 6  # letters of the names that stand without a semicolon
IN_TEXT, IN_ATTRIBUTE, AS_IS = range(3)


class Text:
    """The text of one value under way."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._is_broken = False

    def put(self, run: bytes, mode: int = IN_TEXT) -> None:
        """Append a run of the page; `mode` says how character references are read in it."""
        try:
            text = run.decode()
        except UnicodeDecodeError:
            self._is_broken = True
            return
        self._parts.append(text if mode == AS_IS else decode_references(text, in_attribute=mode == IN_ATTRIBUTE))

    def edge(self) -> None:
        """Part what stands before from what comes."""
        self._parts.append(" ")

    @property
    def has_gap(self) -> bool:
        """Whether white space stands at its end."""
        last = next((part for part in reversed(self._parts) if part), "")
        return last[-1:].isspace()

    def squeezed(self) -> str | None:
        """Return the text with white space squeezed, or None where it was not valid UTF-8."""
        return None if self._is_broken else " ".join("".join(self._parts).split())


def decode_references(text: str, *, in_attribute: bool) -> str:
    """Replace character references as the tokenizer of the standard does."""
    if "&" not in text:
        return text

    def replace(found: re.Match[str]) -> str:
        if found[1]:
            return _character(found[1])
        return _named(found, in_attribute)

    return _REFERENCE.sub(replace, text)


def _named(found: re.Match[str], in_attribute: bool) -> str:
    name = found[2]
    if found[3] and (whole := html5.get(name + ";")):
        return whole
    for size in range(min(len(name), _LONGEST_BARE), 1, -1):
        bare = html5.get(name[:size])
        if bare is None:
            continue
        after = (found[0] + found.string[found.end() : found.end() + 1])[size + 1 : size + 2]
        if in_attribute and (after == "=" or (after.isascii() and after.isalnum())):
            return found[0]
        return bare + found[0][size + 1 :]
    return found[0]


def _character(digits: str) -> str:
    hexadecimal = digits[0] in "xX"
    digits = digits[hexadecimal:].lstrip("0")
    code = int(digits or "0", 16 if hexadecimal else 10) if len(digits) < 8 else 0x110000
    if 0x80 <= code < 0xA0:
        shown = _WINDOWS[code - 0x80]
        return chr(code) if shown == "\ufffd" else shown
    if code == 0 or code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return "\ufffd"
    return chr(code)
