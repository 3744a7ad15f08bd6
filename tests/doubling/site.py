"""A small site that is learned once, whose pages take any markup into the middle of their text."""

from functools import cache
from random import Random

from scythe.site.site import Site

BASE = "https://mill.example"
_WORDS = """the miller river wheel flour dawn field barley oats autumn spring rain sack stone bridge road village market
horse cart old young slow bright heavy quiet walked carried ground opened waited found and then because while before
under over with without many few seven morning evening winter neighbour water roof door window lamp hand""".split()


def address(number: int) -> str:
    return f"{BASE}/tales/{number}.html"


def title_of(number: int) -> str:
    return f"Tale number {number} of the mill"


def _tell(dice: Random) -> str:
    """Return a paragraph that is on no other page."""
    lengths = [dice.randrange(8, 18) for _ in range(4)]
    return (
        "<p>" + " ".join(" ".join(dice.choices(_WORDS, k=length)).capitalize() + "." for length in lengths) + "</p>\n"
    )


def write_page(number: int, middle: str = "", *, early: str = "") -> bytes:
    """Return a page of the site: `middle` stands between paragraphs of its text, `early` before its heading."""
    dice = Random(number)
    first, second = ("".join(_tell(dice) for _ in range(5)) for _ in range(2))
    items = "".join(
        f'<li class="item"><a href="/goods/{number}/{item}">Flour {item} of tale {number}</a> '
        f'<img src="/goods/{number}/{item}.jpg" width="80" height="60"> '
        f'<b class="price">{item}.{number % 90 + 10} EUR</b></li>\n'
        for item in range(1, 5)
    )
    return f"""<!DOCTYPE html><html lang="en"><head><title>{title_of(number)} | The mill</title></head><body>
<header><a href="/">Home</a> <a href="/tales/">Tales</a></header>{early}
<h1 class="headline">{title_of(number)}</h1><p class="byline">By <span class="author">Ann Miller</span>,
<time class="date">2026-0{number % 9 + 1}-1{number % 10}</time></p>
<div class="story">{first}{middle}{second}</div>
<ul class="goods">{items}</ul>
<footer><p class="end">Told for the mill, number {number}.</p></footer></body></html>""".encode()


def lessons(count: int = 8, middle: str = "") -> list[tuple[str, bytes]]:
    return [(address(number), write_page(number, middle)) for number in range(1, count + 1)]


@cache
def saved() -> str:
    """Learn the site from plain pages and return its profile."""
    return Site.learn(lessons()).to_json()


def learned() -> Site:
    """Return the site as it was learned, whatever was extracted since."""
    return Site.from_json(saved())
