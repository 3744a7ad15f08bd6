"""Read a srcset attribute: its text in, addresses with their size descriptors out, as the HTML standard splits them."""

from __future__ import annotations

from scythe.limits import LIMITS

_SPACE = "\t\n\f\r "


def read_srcset(text: str) -> list[tuple[str, float]]:
    """Return (address, width or 1000 x density, 0 if unsaid) of each candidate, at most `Limits.srcset_items`.

    An address ends at white space, so commas inside it (`w_300,h_200`) do not split it.
    """
    found: list[tuple[str, float]] = []
    at, end = 0, len(text)
    while at < end and len(found) < LIMITS.srcset_items:
        while at < end and (text[at] in _SPACE or text[at] == ","):
            at += 1
        stop = _next_space(text, at)
        address = text[at:stop]
        if not address:
            break
        at = stop
        if address.endswith(","):
            found.append((address.rstrip(","), 0.0))
            continue
        comma = text.find(",", at)
        comma = end if comma < 0 else comma
        found.append((address, _size(text[at : min(comma, at + 100)])))
        at = comma
    return found


def _next_space(text: str, at: int) -> int:
    places = [place for char in _SPACE if (place := text.find(char, at, at + LIMITS.url_chars)) >= 0]
    return min(places) if places else min(len(text), at + LIMITS.url_chars)


def _size(descriptor: str) -> float:
    for word in descriptor.split()[:3]:
        number, unit = word[:-1], word[-1]
        if number.replace(".", "", 1).isdecimal() and number.isascii() and len(number) < 10:
            if unit == "w":
                return float(number)
            if unit == "x":
                return 1000.0 * float(number)
    return 0.0
