"""Count letters of each language, and pairs of them, in the Unicode locale data, and write the detector's table."""

from __future__ import annotations

import sys
import unicodedata
from collections import Counter
from itertools import pairwise
from pathlib import Path

from babel import Locale

CODECS = {
    "cp1252 iso8859-15": "en de fr es pt it nl sv da nb fi is ca ga sq eu",
    "cp1250 iso8859-2": "pl cs sk hu ro sl hr de",
    "iso8859-16": "ro",
    "cp1254": "tr az",
    "cp1251 koi8-u iso8859-5 cp866 mac-cyrillic": "ru uk bg sr mk be",
    "koi8-r": "ru",
    "cp1253 iso8859-7": "el",
    "cp1255 iso8859-8": "he yi",
    "cp1256": "ar fa ur",
    "iso8859-6": "ar",
    "cp1257 iso8859-13 iso8859-4": "lt lv et",
    "cp1258": "vi",
    "cp874": "th",
}


def words(locale: Locale):
    """Yield the names that a locale has for languages, places, currencies, months and days."""
    for names in (locale.languages, locale.territories, locale.currencies, locale.scripts):
        yield from names.values()
    for contexts in (locale.months, locale.days):
        for widths in contexts.values():
            for names in widths.values():
                yield from names.values()


def letters(language: str) -> Counter[str]:
    """Return the weight of each letter outside ASCII, lower case, per 1000 in all.

    Names are not running text, so counts are flattened by a square root; letters of a foreign script are left out.
    """
    found: Counter[str] = Counter()
    for word in words(Locale.parse(language)):
        found.update(c for c in str(word).lower() if ord(c) > 127 and (c.isalpha() or "\u0e00" <= c <= "\u0e7f"))
    scripts = Counter(script(c) for c in found.elements())
    main_script = scripts.most_common(1)[0][0]
    flat = {c: n**0.5 for c, n in found.items() if script(c) == main_script and c not in "ʼʻ" and n > 1}
    total = sum(flat.values()) or 1
    return Counter({c: round(1000 * n / total) for c, n in flat.items()})


def pairs(language: str, alphabet: Counter[str]) -> Counter[str]:
    """Return how often each two letters of an alphabet stand side by side; of languages in Latin letters, nothing."""
    if not alphabet or script(min(alphabet)) == "LATIN":
        return Counter()
    found: Counter[str] = Counter()
    for word in words(Locale.parse(language)):
        lower = str(word).lower()
        found.update(a + b for a, b in pairwise(lower) if alphabet[a] and alphabet[b])
    return found


def script(letter: str) -> str:
    """Return the first word of a letter's Unicode name: LATIN, CYRILLIC, GREEK, ..."""
    return unicodedata.name(letter, "?").split()[0]


def main(path: str) -> None:
    languages = dict.fromkeys(" ".join(CODECS.values()).split())
    lines = [
        "# Letters outside ASCII by language, per 1000 of them, and pairs of letters of scripts other than Latin,",
        "# counted in the Unicode locale data by tools/count_letters.py, and the languages each codec is tried for.",
    ]
    lines += [f"codec {codec}: {names}" for codecs, names in CODECS.items() for codec in codecs.split()]
    for language in languages:
        alphabet = letters(language)
        for kind, counts in (("letters", alphabet), ("pairs", pairs(language, alphabet))):
            counted = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
            if counted or kind == "letters":
                lines.append(f"{kind} {language}: " + " ".join(f"{c}{n}" for c, n in counted if n))
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
