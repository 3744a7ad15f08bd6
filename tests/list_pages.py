"""Pages that list things, for tests: a shop, a forum and a glossary, with what stands around lists on real pages."""

from collections.abc import Callable

MENU = "".join(f'<li class="nav"><a href="/{name}">{name}</a></li>' for name in ("home", "tools", "seeds", "about"))
WORDS = "forged scythe blade for wet meadows with long reach and a fine edge made by hand in the old mill".split()


def words(start: int, count: int) -> str:
    """Return some words that differ with `start`."""
    return " ".join(WORDS[(start + i * (1 + start % 3)) % len(WORDS)] for i in range(count)).capitalize()


def frame(title: str, main: str, *, lead: str = "") -> bytes:
    """Return a page with a menu, a main part and a footer."""
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title>{lead}</head><body>'
        f'<header><ul class="menu">{MENU}</ul></header><main><h1>{title}</h1>{main}</main>'
        '<footer><p class="legal">All rights reserved. <a href="/imprint">Imprint</a></p></footer></body></html>'
    ).encode()


def product(number: int, classes: str = "item") -> str:
    """Return one product of the shop; every fifth has no rating, every seventh an old price."""
    old = f'<del class="old">$ {number + 3}.00</del>' if number % 7 == 0 else ""
    rating = f'<span class="stars">{number % 5}.5 of 5</span>' if number % 5 else ""
    return (
        f'<li class="{classes}"><a href="/p/{number}"><img src="/i/{number}.jpg" alt=""></a>'
        f'<h2 class="name"><a href="/p/{number}">{words(number, 4)} No. {number}</a></h2>'
        f'<p class="about">{words(number + 3, 14)}.</p>{rating}<div class="price">$ {number}.50</div>{old}</li>'
    )


def shop_page(number: int, count: int = 12, make: Callable[[int], str] = product) -> bytes:
    """Return a page of the shop's catalogue."""
    first = 1 + number * 20
    items = "\n".join(make(i) for i in range(first, first + count))
    return frame(f"Tools, page {number}", f'<ul class="products">{items}</ul>')
