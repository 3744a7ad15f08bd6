"""Write src/cut/entities.h: the named character references of the HTML standard, from Python's own table."""

from __future__ import annotations

from html.entities import html5
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src" / "cut" / "entities.h"


def write_table() -> None:
    """Write names and texts as two blobs and one row of offsets for each name, in the order of memcmp."""
    names, texts, rows = b"", b"", []
    for name, text in sorted(html5.items(), key=lambda item: item[0].encode()):
        encoded = text.encode()
        rows.append(f"{{{len(names)}, {len(texts)}, {len(name)}, {len(encoded)}}}")
        names += name.encode()
        texts += encoded
    lines = ["/* Written by tools/entities.py. A name with its semicolon, or without where that is allowed. */"]
    lines += ["#include <stdint.h>", "", f"enum {{ ENTITY_COUNT = {len(rows)} }};"]
    lines += ["static const struct { uint16_t name, text; uint8_t name_size, text_size; } entity_rows[] = {"]
    lines += [f"    {', '.join(rows[i : i + 6])}," for i in range(0, len(rows), 6)]
    lines += ["};", "static const char entity_names[] ="]
    lines += [f'    "{names[i : i + 100].decode()}"' for i in range(0, len(names), 100)]
    lines += [";", "static const unsigned char entity_texts[] = {"]
    lines += [f"    {','.join(map(str, texts[i : i + 32]))}," for i in range(0, len(texts), 32)]
    lines += ["};", ""]
    TARGET.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write_table()
