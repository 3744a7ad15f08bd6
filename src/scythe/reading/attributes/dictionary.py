"""A dictionary of attribute names in many languages, after Zhang et al. 2018."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from scythe.errors import BadInput
from scythe.package_files import packaged_text

LABEL_CHARS = 60  # the longest text that is looked up as a name; the longest name of the table has 39
_TRAILING = " \t\n\r\xa0.…*?›>|•·-–—_~,;"  # what pages put behind a label besides a delimiter
_LEADING = " \t\n\r\xa0•·-–—*|»›►▸✓"
_UNDECOMPOSED = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae"})


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Attribute names folded for look-up, each with its concept, and the delimiters that end a name."""

    names: Mapping[str, str]  # folded name -> concept, over all languages; the first language that has it wins
    by_language: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    delimiters: str = ":："  # one character each

    def concept_of(self, label: str, language: str = "") -> str | None:
        """Return the concept that a label names, or None. `language` settles names that languages use differently."""
        if len(label) > LABEL_CHARS or not label:
            return None
        spoken = self.by_language.get(language.split("-")[0].lower()) if language else None
        if label.isascii() and spoken is None and "(" not in label and "[" not in label:
            return self.names.get(fold(label).rstrip(self.delimiters + _TRAILING))  # it has one spelling
        for name in _spellings(label, self.delimiters):
            concept = (spoken.get(name) if spoken else None) or self.names.get(name)
            if concept:
                return concept
        return None

    def is_attribute_name(self, text: str) -> bool:
        """Tell whether a whole text is the name of an attribute, with or without a delimiter behind it."""
        return self.concept_of(text) is not None

    def split_pair(self, text: str) -> tuple[str, str] | None:
        """Cut "label: value" at its first delimiter; None where the part in front is no label by its looks.

        The value may be empty. A delimiter between digits (12:30, 16:9) or before `//` is none.
        """
        head = text[: LABEL_CHARS + 1]
        cuts = [at for sign in self.delimiters if (at := head.find(sign)) > 0]
        if not cuts:
            return None
        at = min(cuts)
        label, value = head[:at].strip(_LEADING), text[at + 1 :].strip()
        if not label or text[at + 1 : at + 3] == "//" or (text[at - 1].isdigit() and text[at + 1 : at + 2].isdigit()):
            return None
        return label.rstrip(), value

    def extend(self, names: Mapping[str, Iterable[str]], delimiters: str = "") -> Dictionary:
        """Return a dictionary that also knows these names, by concept; they win over what was known before."""
        added: dict[str, str] = {}
        for concept, spoken in names.items():
            _add(added, concept, spoken)
        signs = self.delimiters + "".join(sign for sign in delimiters if sign not in self.delimiters)
        languages = {language: {**known, **added} for language, known in self.by_language.items()}
        return Dictionary({**self.names, **added}, languages, signs)


def fold(label: str) -> str:
    """Return a label in one case, with single spaces and without the delimiter behind it; accents stay."""
    if not label.isascii():
        label = unicodedata.normalize("NFKC", label)
    return " ".join(label.casefold().split()).strip(_TRAILING).lstrip(_LEADING)


def fold_accents(folded: str) -> str:
    """Take the accents off a folded name, so that what is written without them is found as well."""
    if folded.isascii():
        return folded
    parts = unicodedata.normalize("NFD", folded.translate(_UNDECOMPOSED))
    return unicodedata.normalize("NFC", "".join(sign for sign in parts if not unicodedata.combining(sign)))


def parse_dictionary(text: str) -> Dictionary:
    """Read a dictionary from text: `[language]` sections of `concept: name, name` lines, `#` comments.

    A `[delimiters]` section holds single characters. Raises BadInput, naming the line, for anything else.
    """
    by_language: dict[str, dict[str, str]] = {}
    section, delimiters = "", ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip().lower()
        elif section == "delimiters":
            delimiters += "".join(sign for sign in line.split() if len(sign) == 1)
        else:
            concept, colon, names = line.partition(":")
            if not colon or not names.strip():
                raise BadInput(f"attribute dictionary, line {number}: wanted 'concept: name, name', not {line[:60]!r}")
            _add(by_language.setdefault(section, {}), concept.strip(), names.split(","))
    merged: dict[str, str] = {}
    for names_of_language in by_language.values():
        for name, concept in names_of_language.items():
            merged.setdefault(name, concept)
    return Dictionary(merged, by_language, delimiters or ":：")


@cache
def shipped() -> Dictionary:
    """Return the dictionary that comes with the package, read once."""
    return parse_dictionary(packaged_text("scythe.reading.lists", "tables/attributes.txt"))


@lru_cache(maxsize=4096)
def concept_of(label: str) -> str | None:
    """Return the concept that a label names in the shipped dictionary, or None."""
    return shipped().concept_of(label)


def is_attribute_name(text: str) -> bool:
    """Tell whether a whole text is an attribute name of the shipped dictionary."""
    return len(text) <= LABEL_CHARS and concept_of(text) is not None


def _add(known: dict[str, str], concept: str, names: Iterable[str]) -> None:
    for name in names:
        folded = fold(name)
        if folded:
            # a name written with its accents must never lose to another one written without
            known[folded] = concept
            known.setdefault(fold_accents(folded), concept)
            known.setdefault(fold_accents(folded.translate(_UMLAUTS)), concept)


def _spellings(label: str, delimiters: str) -> Iterable[str]:
    """Yield the forms under which a label may be listed, the most literal first."""
    name = fold(label).rstrip(delimiters + _TRAILING)
    yield name
    bare = fold_accents(name)
    if bare != name:
        yield bare
    for opening in "([（":
        at = bare.find(opening)
        if at > 0:
            yield bare[:at].rstrip(delimiters + _TRAILING)
            return
