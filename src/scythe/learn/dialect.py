"""Tell pages whose trees agree but whose sources do not: sources come in, groups of sources written alike go out.

Some sites serve the same template through two minifiers or two writers of tags: `<div class="a">` on one page is
`<div\\nclass='a'>` on another. A rule in bytes of the one finds nothing on the other, so they are layouts of their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

GAP = 0.3  # between the shares of two dialects; pages of one template differ by .1 at most
_CHARACTERS = 200_000  # of a page that are looked at
_OPENING = re.compile(r"<([a-zA-Z][a-zA-Z0-9]{0,20})([ \t\r\n\f])")

Dialect = tuple[float, float, float]


def measure_dialect(html: str) -> Dialect:
    """Return the shares of tags broken after the name, of names in upper case and of values in double quotes."""
    html = html[:_CHARACTERS]
    tags = _OPENING.findall(html)
    count = max(1, len(tags))
    broken = sum(blank != " " for _, blank in tags) / count
    upper = sum(name.isupper() for name, _ in tags) / count
    double, single = html.count('="'), html.count("='")
    return broken, upper, double / max(1, double + single)


def split_by_dialect(members: Sequence[int], dialects: Sequence[Dialect]) -> list[list[int]]:
    """Split a group of pages wherever one of the shares leaves a gap; `dialects` has one row per page of the site."""
    groups = [list(members)]
    for share in range(3):
        groups = [part for group in groups for part in _split_at_gaps(group, [dialects[at][share] for at in group])]
    return groups


def _split_at_gaps(group: Sequence[int], shares: Sequence[float]) -> list[list[int]]:
    ordered = sorted(zip(shares, group, strict=True))
    parts: list[list[int]] = [[]]
    last = ordered[0][0] if ordered else 0.0
    for share, at in ordered:
        if share - last >= GAP:
            parts.append([])
        parts[-1].append(at)
        last = share
    return parts
