"""Encode messages of installed programs, which are in many languages, label them falsely, and count how many are read.

    python tools/measure_catalogs.py [--pages 6] [--folder /usr/share/locale]

Pages have 20 to 1,000 letters outside ASCII. A page counts as right only if every character is. The detector's tables
are not counted from these texts.
"""

from __future__ import annotations

import argparse
import gettext
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from scythe.page.encoding import decode

CODECS = {  # by language, as catalogs name it
    "ru": "cp1251 koi8-r iso8859-5 cp866", "uk": "cp1251 koi8-u", "bg": "cp1251 iso8859-5", "sr": "cp1251",
    "be": "cp1251", "mk": "cp1251", "el": "cp1253 iso8859-7", "he": "cp1255 iso8859-8", "ar": "cp1256 iso8859-6",
    "fa": "cp1256", "ur": "cp1256", "th": "cp874", "ja": "cp932 euc_jp", "zh_CN": "gb18030", "zh_TW": "big5hkscs",
    "ko": "cp949", "pl": "cp1250 iso8859-2", "cs": "cp1250 iso8859-2", "hu": "cp1250 iso8859-2", "sk": "cp1250",
    "tr": "cp1254", "de": "cp1252 iso8859-15", "fr": "cp1252 iso8859-15", "es": "cp1252", "sv": "cp1252",
    "pt": "cp1252", "lt": "cp1257", "lv": "cp1257", "ro": "iso8859-16 iso8859-2", "hr": "cp1250", "sl": "cp1250",
    "et": "cp1257", "fi": "cp1252", "da": "cp1252",
}  # fmt: skip
OTHER_SCRIPTS = frozenset("ru uk bg sr be mk el he ar fa ur th ja zh_CN zh_TW ko".split())
TRUE = {"cp1254": "iso-8859-9", "cp932": "shift_jis", "gb18030": "gb2312", "big5hkscs": "big5", "cp949": "euc-kr"}
TRUE |= {"cp866": "ibm866", "euc_jp": "euc-jp"}
LABELS = ("", "iso-8859-1", "windows-1251", "shift_jis", "gb2312", "windows-1255", "true")
SIZES = (20, 60, 300, 1_000)
CATALOGS, MESSAGE_CHARS = 12, 400
FORMATS = re.compile(r"%[\w.-]*|\\n|[<>&{}$_]")
LATIN_WORDS = re.compile(r"[A-Za-z]{3,}")


def messages(folder: Path, language: str) -> list[str]:
    """Return messages of a language that are not ASCII, without formats, and other scripts without English words."""
    found: dict[str, None] = {}
    for path in sorted(folder.glob(f"{language}/LC_MESSAGES/*.mo"))[:CATALOGS]:
        with path.open("rb") as file:
            translations = gettext.GNUTranslations(file)
        template = {"": translations.gettext("")}
        for message in vars(translations).get("_catalog", template).values():
            if not isinstance(message, str) or "Content-Type" in message or len(message) >= MESSAGE_CHARS:
                continue
            text = FORMATS.sub(" ", message)
            text = LATIN_WORDS.sub(" ", text) if language in OTHER_SCRIPTS else text
            if not text.isascii():
                found[text] = None
    return list(found)


def pages(folder: Path, count: int, seed: int) -> Iterator[tuple[str, str, str, str]]:
    """Yield language, codec, label and page."""
    for language, codecs in CODECS.items():
        texts = messages(folder, language)
        if len(texts) < 100:
            continue
        for codec in codecs.split():
            dice = random.Random(f"{seed} {language} {codec}")
            for number, size in enumerate(size for size in SIZES for _ in range(count)):
                parts: list[str] = []
                while sum(char > "\x7f" for part in parts for char in part) < size:
                    parts.append(dice.choice(texts).encode(codec, "ignore").decode(codec))
                english = "<p>The menu of this page is in English, as on many.</p>" if number % 2 else ""
                for label in LABELS:
                    yield language, codec, label, english + "".join(f"<p>{part}</p>" for part in parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("/usr/share/locale"))
    parser.add_argument("--pages", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    all_of, right = Counter[str](), Counter[str]()
    for language, codec, label, html in pages(options.folder, options.pages, options.seed):
        true_label = TRUE.get(codec, codec.replace("cp", "windows-").replace("iso8859", "iso-8859"))
        named = true_label if label == "true" else label
        body = (f'<meta charset="{named}">' + html if named else html).encode(codec)
        is_right = decode(body).text == body.decode(codec)
        script = "other scripts" if language in OTHER_SCRIPTS else "Latin"
        for name in ("all", script, f"label {label or 'none'}", f"language {language}"):
            all_of[name] += 1
            right[name] += is_right
    for name, total in sorted(all_of.items()):
        print(f"{name:20s} {total:7d} {100 * right[name] / total:7.2f} %")


if __name__ == "__main__":
    main()
