"""Addresses without end: each page of these corners leads to more pages that say the same."""

from __future__ import annotations

from html import escape

from scythe.demo.answers import Answer, answer_plainly


def answer_calendar(target: str, visits: int, design: int) -> Answer | None:
    """Answer with a month that leads to the months before and after it, for ever."""
    parts = target.strip("/").split("/")
    if len(parts) < 3 or not (parts[1].isdigit() and parts[2].isdigit()) or len(parts[1]) > 6:
        return None
    year, month = int(parts[1]), int(parts[2])
    before = f"/calendar/{year - (month == 1)}/{(month - 2) % 12 + 1:02d}/"
    after = f"/calendar/{year + (month == 12)}/{month % 12 + 1:02d}/"
    weeks = "".join(f'<td><a href="/calendar/{year}/{month:02d}/{week}/">week {week}</a></td>' for week in range(1, 5))
    table = f"<p>Nothing is planned.</p><table><tr>{weeks}</tr></table>"
    onward = f'<a href="{before}">before</a> <a href="{after}">after</a>'
    return _page(f"Events in {month:02d}/{year}", table + onward)


def answer_sessions(target: str, visits: int, design: int) -> Answer:
    """Answer with links that carry a session which no other answer has."""
    session = f"{(visits * 7919 + sum(target.encode()) * 104_729) % 16**8:08x}"
    names = ("members", "rules", "dates", "history")
    links = " ".join(f'<a href="/club/{name}.html?sid={session}">{name}</a>' for name in names)
    name = target.partition("?")[0].rpartition("/")[2].removesuffix(".html")
    told = f"The {name} of the mowing club are kept in a book that lies in the barn and may be read by everybody."
    return _page(f"Mowing club: {name}", f"<p>{escape(told)}</p>{links}")


def answer_spiral(target: str, visits: int, design: int) -> Answer:
    """Answer with a relative link that was meant to be absolute."""
    return _page("Spiral", '<p>Around and around it goes.</p><a href="further/spiral/">further</a>')


def _page(title: str, inside: str) -> Answer:
    return answer_plainly(f"<!doctype html><title>{escape(title)}</title><h1>{escape(title)}</h1>{inside}".encode())
