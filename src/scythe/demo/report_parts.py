"""Pieces of the report page: names and cells come in, sections and tables go out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def section(name: str, title: str, inside: str) -> str:
    """Write a part of the page with its heading."""
    return f'<section aria-labelledby="{name}"><h2 id="{name}">{escape(title)}</h2>\n{inside}\n</section>'


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Iterable[int] = ()) -> str:
    """Write a table; cells are markup already, the first of a row names it."""
    right = set(numbers)
    top = "".join(
        f'<th scope="col"{" class=n" if i in right else ""}>{escape(name)}</th>' for i, name in enumerate(head)
    )
    lines = []
    for row in rows:
        cells = [f'<th scope="row">{row[0]}</th>']
        cells += [f"<td{' class=n' if i in right else ''}>{cell}</td>" for i, cell in enumerate(row[1:], start=1)]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'<div class=wide tabindex=0 role=region aria-label="{escape(caption)}"><table><caption>{escape(caption)}'
        f"</caption><thead><tr>{top}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def legend(keys: Iterable[tuple[str, str]]) -> str:
    """Write what colours mean: classes with words."""
    return (
        "<ul class=legend>"
        + "".join(f'<li><span class="key {kind}"></span>{what}</li>' for kind, what in keys)
        + "</ul>"
    )


def spell(said: str) -> str:
    """Write a sentence; what stands between backticks is code."""
    parts = escape(said).split("`")
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))


def verdict(is_good: bool) -> str:
    """Write a mark that can be told without colours, and heard."""
    return "<span class=good>✓</span>" if is_good else "<span class=bad>✗ not as it should:</span>"
