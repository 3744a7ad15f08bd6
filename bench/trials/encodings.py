"""Re-encode the pages of a data folder into legacy encodings, label them falsely, and count how many are read right.

Its folder `text` holds *.jsonl.xz, one page a line with its text in `html`. A page is right only if every character is.
"""

from __future__ import annotations

import json
import lzma
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from bench.trials.harness import print_table
from scythe.page.encoding import decode

WESTERN = "en de es fr pt it no nb da fi is nl sv ?"
LANGUAGES = {  # codec -> languages whose pages were written in it; "?" pages do not say
    "cp1252": WESTERN,
    "iso8859-15": WESTERN,
    "cp1250": "pl hu cs",
    "iso8859-2": "pl hu cs",
    "cp1254": "tr",
    "cp1251": "ru uk bg",
    "koi8-r": "ru",
    "cp1257": "lt lv",
    "cp932": "ja",
    "euc_jp": "ja",
    "gb18030": "zh",
    "cp949": "ko",
    "cp1256": "ar fa",
}
LABELS = ("utf-8", "iso-8859-1", "windows-1251", "shift_jis", "")
TRUE_LABELS = {"cp1254": "iso-8859-9", "cp932": "shift_jis", "gb18030": "gb2312", "cp949": "euc-kr", "euc_jp": "euc-jp"}
ASCII = bytes(range(128))
DECLARATION = re.compile(r"<meta[^>]*charset[^>]*>|^\s*<\?xml[^>]*\?>", re.I)
LANGUAGE = re.compile(r"<html[^>]*lang=[\"']?([a-zA-Z]{2})")
DOUBLED = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")  # UTF-8 that was decoded as Latin-1 before


def pages(folder: Path, sets: list[str]) -> Iterator[str]:
    """Yield the pages without their declarations; those with control characters were broken before we got them."""
    for path in sorted(folder.glob("text/*.jsonl.xz")):
        if sets and path.name.partition(".")[0] not in sets:
            continue
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                html = json.loads(line)["html"].replace("\x00", "").encode("utf-8", "replace").decode()
                if not html.isascii() and not re.search("[\x80-\x9f]", html):
                    yield DECLARATION.sub("", html)


def variants(html: str) -> Iterator[tuple[str, str, bytes]]:
    """Yield (codec, label, body) for each encoding the page could have been written in, and each label."""
    found = LANGUAGE.search(html)
    language = found[1].lower() if found else "?"
    chars = Counter(char for char in html if ord(char) > 127)
    for codec in ("utf-8", "utf-16-le", *LANGUAGES):
        if codec in LANGUAGES:
            fit = sum(count for char, count in chars.items() if char.encode(codec, "ignore"))
            if language not in LANGUAGES[codec].split() or fit < 0.9 * chars.total():
                continue
        for label in LABELS if codec != "utf-16-le" else ("",):
            yield codec, label or "none", labelled(html, label).encode(codec, "xmlcharrefreplace")
        if codec in LANGUAGES:
            true_label = TRUE_LABELS.get(codec, codec.replace("cp", "windows-").replace("iso8859", "iso-8859"))
            yield codec, "true", labelled(html, true_label).encode(codec, "xmlcharrefreplace")


def labelled(html: str, label: str) -> str:
    at = html.lower().find("<head")
    at = html.find(">", at) + 1 if at >= 0 else 0
    return html[:at] + f'<meta charset="{label}">' + html[at:] if label else html


def run(data: Path, *, sets: str = "") -> None:
    """`sets` are names of files, with commas between; without them all are read."""
    scores: dict[str, Counter[bool]] = defaultdict(Counter)
    for html in pages(data, sets.split(",") if sets else []):
        for codec, label, body in variants(html):
            high = len(body.translate(None, ASCII))
            doubled = codec in LANGUAGES and 2 * len(DOUBLED.findall(body)) >= 0.3 * high
            if high and not (doubled and codec not in TRUE_LABELS):
                right = decode(body).text == body.decode(codec)
                for name in ("all", f"codec {codec}", f"label {label}", "few" if high < 10 else "ten or more"):
                    scores[name][right] += 1
    rows = ((name, score.total(), f"{100 * score[True] / score.total():.2f}") for name, score in sorted(scores.items()))
    print_table(("variants", "pages", "read right, %"), rows)
