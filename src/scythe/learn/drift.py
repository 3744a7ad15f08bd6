"""Tell what a field usually looks like from what it looks like today: values come in, a reason for doubt goes out.

Two rules that agree are seldom wrong, so the margins are generous: a value is doubted when it is far outside anything
seen, and the fewer pages were seen, the farther it must be.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from statistics import median_low

from scythe.rules import Usual

_LOOKED_AT = 200  # characters of a value that its script is told from
_STRIDE = 4  # of these, every fourth
_LETTERS = 12  # among those looked at, before they say anything of a script: names may be foreign, sentences are not
_WITNESSES = 3  # pages that must agree on a script
_VALUES = 50  # of a page that are judged: fields that repeat may have thousands
_FEW_PAGES = 5  # so many more pages count half as unsure
_FORM_PAGES = 5  # pages with one form before another form is doubted: of "Not available" some is told by then
_NUMBERS = "digits+no letters"  # prices, telephone numbers, years
_FORM_CHARS = 100  # longer values have all forms
_ROOM_CHARS = 30  # a short field may grow by so much, whatever it was before
_ROOM_BYTES = 50_000  # a new banner or an inline script before the field moves it by so much

Span = tuple[int, int] | None

# where scripts begin in Unicode; "" holds what belongs to several scripts or to none
_SCRIPTS: tuple[tuple[int, str], ...] = (
    (0x0000, "latin"), (0x0250, ""), (0x0370, "greek"), (0x0400, "cyrillic"), (0x0530, "armenian"), (0x0590, "hebrew"),
    (0x0600, "arabic"), (0x0700, ""), (0x0750, "arabic"), (0x0780, ""), (0x08A0, "arabic"), (0x0900, "devanagari"),
    (0x0980, "bengali"), (0x0A00, "gurmukhi"), (0x0A80, "gujarati"), (0x0B00, "oriya"), (0x0B80, "tamil"),
    (0x0C00, "telugu"), (0x0C80, "kannada"), (0x0D00, "malayalam"), (0x0D80, "sinhala"), (0x0E00, "thai"),
    (0x0E80, "lao"), (0x0F00, "tibetan"), (0x1000, "myanmar"), (0x10A0, "georgian"), (0x1100, "hangul"),
    (0x1200, "ethiopic"), (0x13A0, ""), (0x1780, "khmer"), (0x1800, "mongolian"), (0x18B0, ""), (0x1C90, "georgian"),
    (0x1CC0, ""), (0x1E00, "latin"), (0x1F00, "greek"), (0x2000, ""), (0x2E80, "han"), (0x3000, ""), (0x3040, "han"),
    (0x3130, "hangul"), (0x3190, "han"), (0xA000, ""), (0xAC00, "hangul"), (0xD7B0, ""), (0xF900, "han"),
    (0xFB00, ""), (0xFB1D, "hebrew"), (0xFB50, "arabic"), (0xFE00, ""), (0xFE70, "arabic"), (0xFEFF, ""),
    (0xFF21, "latin"), (0xFF66, "han"), (0xFFA0, "hangul"), (0xFFE0, ""), (0x20000, "han"), (0x32000, ""),
)  # fmt: skip
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_STARTS = [start for start, _ in _SCRIPTS]


def usual_of(values_per_page: Sequence[tuple[str, ...]], spans: Sequence[Span], pages: int | None = None) -> Usual:
    """Sum up a field over the pages learned: one tuple of values and one span (or None) per page, () where it has none.

    `pages` counts those on which the field was looked for, where they are more than the entries.
    """
    lengths = sorted(len(value) for values in values_per_page for value in values[:_VALUES])
    starts = [span[0] for span, values in zip(spans, values_per_page, strict=True) if span is not None and values]
    return Usual(
        pages=max(len(values_per_page), pages or 0),
        present=sum(bool(values) for values in values_per_page),
        shortest=lengths[0] if lengths else 0,
        longest=lengths[-1] if lengths else 0,
        middle=median_low(lengths) if lengths else 0,
        first=min(starts, default=0),
        last=max(starts, default=0),
        script=_common_script(values_per_page),
        form=_common_form([value for values in values_per_page for value in values[:_VALUES]]),
    )


def judge(usual: Usual, values: tuple[str, ...], span: Span, *, strictly: bool = True) -> str:
    """Say why values are implausible for a field, or return an empty string. Takes half a microsecond for most.

    `strictly` is for values from rules that are not the first choice: they must look just like those learned.
    """
    if not usual.present:
        return ""
    if not values:
        return "implausible: empty"
    for value in values if len(values) <= _VALUES else values[:_VALUES]:
        size = len(value)
        if not usual.shortest <= size <= usual.longest and (strange := _judge_length(usual, size)):
            return strange
        if usual.form and usual.present >= _FORM_PAGES and not has_form(value, usual.form, strictly=strictly):
            return f"implausible: usually with {usual.form}"
        if (
            usual.script
            and not begins_in(value, usual.script)
            and (script := script_of(value)) not in ("", usual.script)
        ):
            return f"implausible: {script} letters, usually {usual.script}"
    if span is not None and not usual.first <= span[0] <= usual.last:
        return _judge_position(usual, span[0])
    return ""


def begins_in(text: str, script: str) -> bool:
    """Say whether the first letter is of a script: true of nearly all texts of that script, and told at once."""
    first = text[:1]
    return first.isalpha() and _SCRIPTS[bisect_right(_STARTS, ord(first)) - 1][1] == script


def script_of(text: str) -> str:
    """Return the script of most letters at the beginning of a text, or an empty string where there are too few."""
    letters = [ord(c) for c in text[:_LOOKED_AT:_STRIDE] if c.isalpha()]
    if len(letters) < _LETTERS:
        return ""
    found = Counter(_SCRIPTS[bisect_right(_STARTS, letter) - 1][1] for letter in letters)
    script, count = found.most_common(1)[0]
    return script if 2 * count > len(letters) else ""


def has_form(value: str, form: str, *, strictly: bool = True) -> bool:
    """Say whether a value has the form that `Usual.form` names.

    Not strictly, only what was always a number must be one: titles may be numbers, places may go without their code.
    """
    if len(value) > _FORM_CHARS or (form != _NUMBERS and not strictly):
        return True
    if form.startswith("digits") and _DIGIT.search(value) is None:
        return False
    return not form.endswith("letters") or (_LETTER.search(value) is None) == form.endswith("no letters")


def _judge_length(usual: Usual, size: int) -> str:
    spread = max(3.0, usual.longest / max(usual.shortest, 1)) * (1 + _FEW_PAGES / usual.present)
    if size == 0 and usual.shortest > 0:
        return "implausible: empty"
    if size > usual.longest * spread + _ROOM_CHARS:
        return f"implausible: {size} characters, usually {usual.shortest} to {usual.longest}"
    if size * spread + _ROOM_CHARS < usual.shortest:
        return f"implausible: {size} characters, usually {usual.shortest} to {usual.longest}"
    return ""


def _judge_position(usual: Usual, start: int) -> str:
    room = (2 * (usual.last - usual.first) + _ROOM_BYTES) * (1 + _FEW_PAGES / usual.present)
    if not usual.last or usual.first - room <= start <= usual.last + room:
        return ""
    return f"implausible: at byte {start}, usually {usual.first} to {usual.last}"


def _common_script(values_per_page: Sequence[tuple[str, ...]]) -> str:
    """Return the script that all pages share whose values are long enough to tell."""
    seen = [script for values in values_per_page if values and (script := script_of(" ".join(values[:_VALUES])))]
    return seen[0] if len(seen) >= _WITNESSES and len(set(seen)) == 1 else ""


def _common_form(values: Sequence[str]) -> str:
    if not values or max(map(len, values)) > _FORM_CHARS:
        return ""
    lettered = [_LETTER.search(value) is not None for value in values]
    parts = ["digits"] if all(map(_DIGIT.search, values)) else []
    parts += ["letters"] if all(lettered) else [] if any(lettered) else ["no letters"]
    return "+".join(parts)
