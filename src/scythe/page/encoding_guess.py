"""Guess the encoding of undeclared or wrongly declared bytes from letter statistics.

Each candidate is scored as log P(bytes | codec, language): letter frequencies for single-byte codecs, letter pairs
where the script is not Latin, character classes and spacing for East Asian ones. A declaration counts as evidence, not
as proof.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np

from scythe.package_files import packaged_words

Whole: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]
Table: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float64]]

HALF = 128  # bytes outside ASCII
_SMOOTHING = (
    100.0  # pairs that each letter is taken to have had by the frequency of letters alone; some 10,000 were seen
)


def count_pairs(octets: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> Whole:
    """Return how often each two bytes outside ASCII stand side by side, at 128 times the first plus the second."""
    values = octets.astype(np.int64) - HALF
    beside = (values[:-1] >= 0) & (values[1:] >= 0)
    return np.bincount(HALF * values[:-1][beside] + values[1:][beside], minlength=HALF * HALF)


def log_ratios(letters: Mapping[str, float], pairs: Mapping[str, int]) -> tuple[list[str], Table]:
    """Return an alphabet, and the log of P(b after a) / P(b) for each two letters of it; one more row for no letter."""
    alphabet = sorted(letters)
    place = {letter: number for number, letter in enumerate(alphabet)}
    shares = np.array([letters[letter] for letter in alphabet])
    shares /= shares.sum()
    counts = np.zeros((len(alphabet), len(alphabet)))
    for pair, count in pairs.items():
        counts[place[pair[0]], place[pair[1]]] = count
    chances = (counts + _SMOOTHING * shares) / (counts.sum(axis=1, keepdims=True) + _SMOOTHING)
    return alphabet, np.pad(np.log(chances / shares), ((0, 1), (0, 1)))


def pair_rows(
    codecs: Sequence[str],
    alphabet: Sequence[str],
    ratios: Table,
    character: Callable[[int, str], str],
) -> Table:
    """Return for each codec the ratios of its byte pairs, in the order of `count_pairs`."""
    place = {letter: number for number, letter in enumerate(alphabet)}
    rows = []
    for codec in codecs:
        numbers = [place.get(character(octet, codec).lower(), len(alphabet)) for octet in range(HALF, 2 * HALF)]
        rows.append(ratios[np.ix_(numbers, numbers)].ravel())
    return np.array(rows)


Numbers: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]

SAMPLE_BYTES = 400_000
_MARKUP = re.compile(rb"<[^<>]*+>?")
_MARKS = {  # punctuation of running text outside ASCII, by weight
    char: weight
    for chars, weight in (
        ("\xa0’", 60),
        ("–", 50),
        ("“”", 30),
        ("„…£\xad", 20),
        ("»«‘—", 12),
        ("©·•", 8),
        ("®€°", 4),
        ("´§™›‹", 3),
        ("²×½¥", 2),
    )
    for char in chars
} | dict.fromkeys("³¹º‚ª¿¡±¢¼¾¬µ†", 1)
# share of letters outside ASCII in running text, the first sign of a wrong language; 0.8 where the script is not Latin
_DENSITY = {
    name: share
    for names, share in (
        ("en", 0.001), ("eu nl", 0.003), ("it", 0.01), ("de", 0.018), ("es ca da nb sl hr", 0.03), ("fr pt", 0.035),
        ("ga sv fi et", 0.045), ("ro lt", 0.055), ("pl sq lv", 0.075), ("is hu", 0.11), ("cs sk tr", 0.12),
        ("az vi", 0.2),
    )
    for name in names.split()
}  # fmt: skip
_DENSITY_WEIGHT, _DENSITY_CAP = 1.5, 6.0
_MARKS_SHARE = {"en": 0.9}  # of what is outside ASCII
_USUAL_MARKS_SHARE = 0.25
_CAPITAL = 0.06  # of a letter's uses are capital
_WESTERN_LETTER, _STRANGE_LETTER, _STRANGE, _CONTROL = -6.2, -8.5, -10.8, -20.7  # log chances
_MIXED = -3.0  # log odds of a Greek, Cyrillic, ... letter next to an ASCII one
_RUN = -0.7  # of a Latin letter outside ASCII next to another one
_PRIORS = {"cp1252": 0.0, "cp1251": -1.0, "iso8859-15": -1.5, "cp1250": -2.0, "cp1254": -2.0} | dict.fromkeys(
    ("cp866", "mac-cyrillic", "iso8859-4", "iso8859-13", "iso8859-16", "iso8859-5", "iso8859-6", "cp1258"), -8.0
)
_PRIOR = -3.0
_DECLARED, _DECLARED_PER_LETTER, _LANGUAGE = 8.0, 0.4, 4.0


@dataclass(frozen=True, slots=True)
class EncodingHints:
    """What a page says of itself: codecs it declares, and its language."""

    codecs: tuple[str, ...] = ()
    language: str = ""


@dataclass(frozen=True, slots=True)
class _Sample:
    """The bytes outside ASCII of a page: how often each occurs, and how many stand next to a letter or each other."""

    wide: bytes  # all that may be read as characters of more than one byte, each run with what follows it
    counts: Numbers  # of bytes 128..255
    density: float  # bytes outside ASCII per letter of the text
    beside_ascii: int
    beside_high: int
    pairs: Whole  # of bytes outside ASCII, side by side
    gaps: int  # single spaces between two of them


def detect(body: bytes, hints: EncodingHints) -> str:
    """Return the codec under which the bytes are most likely."""
    sample = _sample(body[:SAMPLE_BYTES])
    scores: dict[str, float] = {}
    for codec, score in (*_single_scores(sample, hints), *_double_scores(sample, hints)):
        scores[codec] = max(score, scores.get(codec, -np.inf))
    best = max(scores, key=lambda codec: scores[codec])
    for declared in hints.codecs:
        if declared not in scores:
            return declared if _reads(body, declared) else best
        rivals = {codec: score - _burden(codec, declared, sample) for codec, score in scores.items()}
        best = max(rivals, key=lambda codec: rivals[codec])
        if best == declared:
            break
    return best


def _reads(body: bytes, codec: str) -> bool:
    try:
        body.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _burden(codec: str, declared: str, sample: _Sample) -> float:
    """Return by how much a codec must be likelier than the declared one; only bytes read differently count."""
    if codec == declared:
        return 0.0
    return _DECLARED + _DECLARED_PER_LETTER * float(sample.counts[_difference(codec, declared)].sum())


@cache
def _difference(codec: str, other: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which of the bytes 128..255 two codecs read differently."""
    return np.array([_character(octet, codec) != _character(octet, other) for octet in range(HALF, 2 * HALF)])


def _character(octet: int, codec: str) -> str:
    return codec if codec in _WIDE else bytes([octet]).decode(codec, "replace")


def _sample(octets: bytes) -> _Sample:
    values = np.frombuffer(octets, np.uint8)
    high = values >= 128
    folded = values | 32
    letter = (folded >= 97) & (folded <= 122) & ~high
    beside_ascii = int((high[1:] & letter[:-1]).sum() + (high[:-1] & letter[1:]).sum())
    beside_high = int((high[1:] & high[:-1]).sum())
    counts = np.bincount(values, minlength=256)[128:].astype(np.float64)
    text = np.frombuffer(_visible(octets), np.uint8)
    high_count = int((text >= 128).sum())
    letters = high_count + int(((text | 32) - 97 < 26).sum())
    gaps = int((high[:-2] & (values[1:-1] == _SPACE) & high[2:]).sum())
    density = (high_count + 0.1) / (letters + 1)
    return _Sample(without_plain(octets), counts, density, beside_ascii, beside_high, count_pairs(values), gaps)


def without_plain(octets: bytes) -> bytes:
    """Return the bytes outside ASCII and the few behind each, which may be the end of a character or of a broken one.

    ASCII further away is read as ASCII by every codec here: leaving it out changes no other character, and most of a
    page is that.
    """
    values = np.frombuffer(octets, np.uint8)
    high = values >= 128
    near = high.copy()
    for distance in range(1, _TRAIL + 1):
        near[distance:] |= high[:-distance]
    return values[near].tobytes()


def _visible(octets: bytes) -> bytes:
    """Return the bytes outside scripts, styles and tags, roughly."""
    for opening, closing in ((b"<script", b"</script"), (b"<style", b"</style")):
        first, *rest = octets.split(opening)
        octets = first + b"".join(b"<" + part.partition(closing)[2] for part in rest)
    return _MARKUP.sub(b" ", octets)


def _single_scores(sample: _Sample, hints: EncodingHints) -> Iterable[tuple[str, float]]:
    codecs, languages, table, is_latin = _single_models()
    density = np.array([_DENSITY.get(language, 0.8) for language in languages])
    scores = table @ sample.counts
    scores -= np.minimum(_DENSITY_CAP, _DENSITY_WEIGHT * np.abs(np.log(sample.density / density)))
    scores += np.where(is_latin, _RUN * sample.beside_high, _MIXED * sample.beside_ascii)
    rows, ratios = _pair_models()
    seen = np.flatnonzero(sample.pairs)
    scores[rows] += ratios[:, seen] @ sample.pairs[seen]
    for codec, language, score in zip(codecs, languages, scores.tolist(), strict=True):
        yield codec, score + _PRIORS.get(codec, _PRIOR) + (_LANGUAGE if language == hints.language else 0.0)


@cache
def _single_models() -> tuple[list[str], list[str], np.ndarray[tuple[int, int], np.dtype[np.float64]], Numbers]:
    """Return one row per codec and language: log probabilities of bytes 128..255, and whether the language is Latin."""
    codecs: list[str] = []
    languages: list[str] = []
    rows: list[list[float]] = []
    letters, users, _ = _read_table()
    for codec, names in users.items():
        for name in names:
            codecs.append(codec)
            languages.append(name)
            share = _MARKS_SHARE.get(name, _USUAL_MARKS_SHARE)
            rows.append([_log_chance(octet, codec, letters[name], share) for octet in range(128, 256)])
    is_latin = np.array([max(letters[name], default="a") < "\u0250" or name == "vi" for name in languages])
    return codecs, languages, np.array(rows), is_latin


@cache
def _pair_models() -> tuple[list[int], np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
    """Return which rows of `_single_models` know pairs of letters, and what each pair of bytes adds to their scores."""
    codecs, languages, _, _ = _single_models()
    letters, _, pairs = _read_table()
    rows: list[int] = []
    tables = [np.empty((0, HALF * HALF))]
    for name, counts in pairs.items():
        of_name = [row for row, language in enumerate(languages) if language == name]
        rows += of_name
        tables.append(pair_rows([codecs[row] for row in of_name], *log_ratios(letters[name], counts), _character))
    return rows, np.concatenate(tables)


@cache
def _read_table() -> tuple[dict[str, dict[str, float]], dict[str, list[str]], dict[str, dict[str, int]]]:
    letters: dict[str, dict[str, float]] = {}
    users: dict[str, list[str]] = {}
    pairs: dict[str, dict[str, int]] = {}
    for said, words in packaged_words("scythe.page", "tables/letters.txt").items():
        kind, _, name = said.partition(" ")
        if kind == "codec":
            users[name] = words
        elif kind == "letters":
            letters[name] = {word[0]: int(word[1:]) / 1000 for word in words}
        elif kind == "pairs":
            pairs[name] = {word[:2]: int(word[2:]) for word in words}
    return letters, users, pairs


def _log_chance(octet: int, codec: str, letters: dict[str, float], marks_share: float) -> float:
    char = _character(octet, codec)
    if char == "\ufffd":
        return _CONTROL
    share = letters.get(char, 0.0) or _CAPITAL * letters.get(char.lower(), 0.0)
    chance = (1 - marks_share) * share + marks_share * _MARKS.get(char, 0) / sum(_MARKS.values())
    if chance:
        return float(np.log(chance))
    if char == "¤":
        return _CONTROL  # nobody writes it; where it appears, another codec has the euro sign
    if not (char.isalpha() and char.islower()):
        return _CONTROL if ord(char) < 160 else _STRANGE
    # names and loan words bring any Western letter into any Western page
    return _WESTERN_LETTER if codec == "cp1252" else _STRANGE_LETTER


_WIDE = {
    # shares of: marks, hiragana, katakana, hangul, common characters, other characters, half-width katakana
    "gb18030": ("zh", (0.12, 0.0005, 0.0005, 0.0001, 0.82, 0.03, 1e-6)),
    "big5hkscs": ("zh", (0.12, 0.0005, 0.0005, 0.0001, 0.84, 0.02, 1e-6)),
    "cp932": ("ja", (0.09, 0.42, 0.16, 0.0001, 0.30, 0.01, 0.001)),
    "euc_jp": ("ja", (0.09, 0.42, 0.16, 0.0001, 0.30, 0.01, 0.001)),
    "cp949": ("ko", (0.07, 0.0005, 0.0005, 0.91, 0.005, 0.002, 1e-6)),
}
_GAPS = {"ko": 0.2, "zh": 0.02, "ja": 0.02}  # of characters stand before a single space and another character
_SPACE = 32
_TRAIL = 4  # bytes behind one outside ASCII that are read with it: one by these codecs, and some to be sure
_CLASS_SIZES = np.array([60, 83, 86, 2350, 3755, 15_000, 63])
_SKEW = 1.5  # nats: characters are used far less evenly than by class alone
_WIDE_BROKEN, _WIDE_STRANGE, _WIDE_DENSITY = -16.0, -10.0, 0.5


def _double_scores(sample: _Sample, hints: EncodingHints) -> Iterable[tuple[str, float]]:
    for codec, (language, shares) in _WIDE.items():
        text = sample.wide.decode(codec, "replace")
        units = np.frombuffer(text.encode("utf-16-le"), np.uint16)
        classes = np.bincount(_class_table(codec)[units[units >= 128]], minlength=9)
        counts, broken, strange = classes[:7].astype(np.float64), int(classes[7]), int(classes[8])
        chances = np.log(np.array(shares) / _CLASS_SIZES) + _SKEW
        score = float(counts @ chances) + _WIDE_BROKEN * broken + _WIDE_STRANGE * strange + _PRIOR
        gaps, characters = sample.gaps, float(sample.counts.sum()) / 2
        score += gaps * np.log(_GAPS[language]) + max(0.0, characters - gaps) * np.log(1 - _GAPS[language])
        score -= min(_DENSITY_CAP, max(0.0, -float(np.log(sample.density / _WIDE_DENSITY))))
        yield codec, score + (_LANGUAGE if hints.language == language else 0.0)


@cache
def _class_table(codec: str) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    table = np.full(65_536, 8, np.uint8)
    table[0x4E00:0xA000] = 5
    table[
        [0xA0, 0xB7, 0x2014, 0x2026, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x203B, 0x25A0, 0x25CF, 0x25B2, 0x2192]
    ] = 0
    for low, high, kind in (
        (0x3000, 0x3040, 0),
        (0x3041, 0x3097, 1),
        (0x30A0, 0x3100, 2),
        (0xFF01, 0xFF5F, 0),
        (0xFF61, 0xFFA0, 6),
    ):
        table[low:high] = kind
    rows = {"gb18030": (0xB0, 0xD8), "big5hkscs": (0xA4, 0xC7), "euc_jp": (0xB0, 0xD0), "cp932": (0x88, 0x98)}
    for lead in range(*rows.get(codec, (0xB0, 0xC9))):
        text = b"".join(bytes([lead, trail]) for trail in range(0x40, 0xFF)).decode(codec, "ignore")
        table[[ord(c) for c in text if 0x4E00 <= ord(c) < 0xA000]] = 4
    if codec == "cp949":
        common = bytes(b for lead in range(0xB0, 0xC9) for trail in range(0xA1, 0xFF) for b in (lead, trail)).decode(
            "euc_kr"
        )
        table[[ord(c) for c in common]] = 3
    table[0xFFFD] = 7
    return table
