"""Write src/native/entities.h: the named character references of the HTML standard, from Python's own table."""

from __future__ import annotations

from html.entities import html5
from pathlib import Path
from textwrap import wrap

TARGET = Path(__file__).resolve().parent.parent / "src" / "native" / "entities.h"
WIDTH = 112


def write_table() -> None:
    """Write all names, all texts, and the sizes of both, in the order of memcmp."""
    entities = sorted(html5.items(), key=lambda item: item[0].encode())
    names = "".join(name for name, _ in entities)
    sizes = " ".join(f"{len(name)},{len(text.encode())}," for name, text in entities)
    letters = " ".join(_escaped(letter) for _, text in entities for letter in text)
    lines = [
        "/* Written by tools/entities.py. A name with its semicolon, or without where that is allowed. */",
        f"enum {{ ENTITY_COUNT = {len(entities)} }};",
        "static const unsigned char entity_sizes[2 * ENTITY_COUNT] = { /* of name, of text */",
        *(f"    {line.replace(' ', '')}" for line in wrap(sizes, WIDTH + WIDTH // 5)),
        "};",
        "static const char entity_names[] =",
        *(f'    "{names[i : i + WIDTH]}"' for i in range(0, len(names), WIDTH)),
        ";",
        "static const char entity_texts[] =",
        *(f'    "{line.replace(" ", "")}"' for line in wrap(letters, WIDTH + WIDTH // 6)),
        ";",
        "",
    ]
    TARGET.write_text("\n".join(lines), encoding="utf-8")


def _escaped(letter: str) -> str:
    """Return a character for a string in C: octal below U+00A0, where names of characters are not allowed."""
    code = ord(letter)
    if code < 0xA0:
        return f"\\{code:03o}" if not letter.isalnum() else letter
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


if __name__ == "__main__":
    write_table()
