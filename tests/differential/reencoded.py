"""Demo pages in other encodings than they say: `python -m tests.differential.reencoded [PAGES]` counts those read well.

The paragraphs of English pages are given words of other languages, all of them, every third or every ninth, so that
some have thousands of letters outside ASCII and some a hundred. A page is right only if every character is.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator

from tests.differential.encodings import TEXTS

from scythe.demo import site
from scythe.page.encoding import decode

LABELS = ("utf-8", "iso-8859-1", "windows-1251", "shift_jis", "nonsense", "")
SHARES = (1, 3, 9)
CODECS = tuple(codec for codec in TEXTS if codec != "utf-8")
_DECLARED = re.compile(r"<meta[^>]*charset[^>]*>", re.IGNORECASE)
_PARAGRAPH = re.compile(r"<p>[^<]{40,}</p>")
_TRUE = {"cp1254": "iso-8859-9", "cp932": "shift_jis", "gb18030": "gb2312", "big5hkscs": "big5", "cp949": "euc-kr"}
_OWN = {"de": ("cp1252", "iso8859-15"), "tr": ("cp1254",), "zh": ("gb18030",)}


def variants(pages: int, seed: int = 7) -> Iterator[tuple[str, str, bytes, str | None]]:
    """Yield codec, label, body and header: the label stands in the page or, every other time, in the header."""
    number = 0
    for page in site(seed=seed, pages=pages):
        html = _DECLARED.sub("", decode(page.html, page.content_type).text)
        for codec, text in _written(html, page.language):
            true_label = _TRUE.get(codec, codec.replace("cp", "windows-").replace("iso8859", "iso-8859"))
            for label in (*LABELS, true_label.replace("euc_jp", "euc-jp")):
                number += 1
                in_header = bool(label) and number % 2 == 0
                at = text.find("<head>") + 6
                declared = f'<meta charset="{label}">' if label and not in_header else ""
                body = (text[:at] + declared + text[at:]).encode(codec, "xmlcharrefreplace")
                yield codec, label or "none", body, f"text/html; charset={label}" if in_header else None


def _written(html: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield the page as it is written in each encoding."""
    if language in _OWN:
        yield from ((codec, html) for codec in _OWN[language])
    else:
        for number, codec in enumerate(CODECS):
            yield codec, _translated(html, TEXTS[codec], SHARES[number % len(SHARES)])


def _translated(html: str, text: str, every: int) -> str:
    count = 0

    def put(found: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"<p>{text}</p>" if count % every == 1 % every else found[0]

    return _PARAGRAPH.sub(put, html)


def misread(pages: int, seed: int = 7) -> set[tuple[str, str]]:
    """Return codec and label of what is not read right."""
    return {
        (codec, label)
        for codec, label, body, header in variants(pages, seed)
        if decode(body, header).text != body.decode(codec)
    }


def count_right(pages: int, seed: int = 7) -> tuple[Counter[str], Counter[str]]:
    """Return how many variants there are by codec and label, and how many of them are read right."""
    all_of, right = Counter[str](), Counter[str]()
    for codec, label, body, header in variants(pages, seed):
        is_right = decode(body, header).text == body.decode(codec)
        for name in ("all", f"codec {codec}", f"label {label if label in (*LABELS, 'none') else 'true'}"):
            all_of[name] += 1
            right[name] += is_right
    return all_of, right


def main() -> int:
    all_of, right = count_right(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
    for name, count in sorted(all_of.items()):
        print(f"{name:20s} {count:7d} {100 * right[name] / count:7.2f} %")
    return int(right["all"] < 0.995 * all_of["all"])


if __name__ == "__main__":
    sys.exit(main())
