"""Write src/native/entities.h: the named character references of the HTML standard, from Python's own table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html.entities import html5
from pathlib import Path
from unicodedata import bidirectional, category

TARGET = Path(__file__).resolve().parent.parent / "src" / "native" / "entities.h"
WIDTH = 117


def write_table() -> None:
    """Write all names, all texts, and the sizes of both, in the order of memcmp."""
    entities = sorted(html5.items(), key=lambda item: item[0].encode())
    names = "".join(name for name, _ in entities)
    sizes = [f"{len(name)},{len(text.encode())}," for name, text in entities]
    letters = [_escaped(letter) for _, text in entities for letter in text]
    lines = [
        "/* Written by tools/entities.py. A name with its semicolon, or without where that is allowed. */",
        f"enum {{ ENTITY_COUNT = {len(entities)} }};",
        "static const unsigned char entity_sizes[2 * ENTITY_COUNT] = { /* of name, of text */",
        *(f"    {line}" for line in _lines(sizes)),
        "};",
        "static const char entity_names[] =",
        *(f'    "{line}"' for line in _lines(names)),
        ";",
        "static const char entity_texts[] =",
        *(f'    "{line}"' for line in _lines(letters)),
        ";",
        "",
    ]
    TARGET.write_text("\n".join(lines), encoding="utf-8")


def _lines(parts: Iterable[str]) -> Iterator[str]:
    """Join parts to lines of at most WIDTH characters."""
    line = ""
    for part in parts:
        if len(line) + len(part) > WIDTH:
            yield line
            line = ""
        line += part
    yield line


def _escaped(letter: str) -> str:
    """Return a character for a string in C: itself, or its number where it has no shape or changes that of others."""
    code = ord(letter)
    if code < 0x80:
        return letter if letter.isalnum() else f"\\{code:03o}"
    if letter.isprintable() and category(letter)[0] in "LNPS" and bidirectional(letter) not in ("R", "AL"):
        return letter
    return "".join(f"\\{octet:03o}" for octet in letter.encode())


if __name__ == "__main__":
    write_table()
