"""A site that changes: nothing wrong is given out, the change is noticed, and learned without help."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

import pytest
from tests.faults.redesign import REDESIGNS, change_everything

import scythe
from scythe.demo import site as demo_site
from scythe.site.site import Site

FIELDS = ("name", "price", "maker", "weight")
WORDS = "ash birch steel garden meadow long short light heavy folding curved forged sharp oak handle stone".split()
MAKERS = ("Reaper & Sons", "Hay Works", "Barnfield", "Old Forge", "Sickle Brothers")
DESIGNS: dict[str, Callable[[bytes], bytes]] = {**REDESIGNS, "everything": change_everything}


@cache
def thing(number: int) -> dict[str, str]:
    random = Random(number)
    name = f"{' '.join(random.sample(WORDS, 3)).capitalize()} no. {number}"
    price = f"${random.randrange(5, 400)}.{random.randrange(100):02}"
    return {"name": name, "price": price, "maker": random.choice(MAKERS), "weight": f"{random.randrange(200, 3000)} g"}


@cache
def shop_page(number: int) -> bytes:
    """Write the page of one thing, with others beside it."""
    it, random = thing(number), Random(-number)
    notes = "".join(f"<p>{' '.join(random.choices(WORDS, k=20))}.</p>" for _ in range(random.randrange(1, 5)))
    others = [thing(random.randrange(1_000, 2_000)) for _ in range(3)]
    beside = "".join(
        f'<li class="other"><a href="/x">{each["name"]}</a> <i class="cost">{each["price"]}</i></li>' for each in others
    )
    return f"""<!DOCTYPE html><html><head><title>{it["name"]} - Tool Shop</title></head>
<body class="shop"><header class="top"><a class="logo" href="/">Tool Shop</a>
<nav class="menu"><a href="/a">All</a></nav></header>
<main class="item" id="item-{number}"><h1 class="item-name">{it["name"]}</h1>
<div class="facts"><span class="price">{it["price"]}</span>
<table class="sheet"><tr><th>Maker</th><td>{it["maker"]}</td></tr>
<tr><th>Weight</th><td>{it["weight"]}</td></tr></table></div>
<section class="notes">{notes}</section></main>
<aside class="beside"><h2>Others bought</h2><ul>{beside}</ul></aside>
<footer class="bottom">Tool Shop, Barn Lane 7</footer></body></html>""".encode()


def url_of(number: int) -> str:
    return f"https://shop.example/thing/{number}"


def learn_shop(pages: int = 8) -> Site:
    examples = [{name: [value] for name, value in thing(n).items()} for n in range(pages)]
    return Site.learn([(url_of(n), shop_page(n)) for n in range(pages)], examples)


def wrong_fields(document: scythe.Document, number: int) -> list[str]:
    """Return the fields that have another value than the thing has."""
    values = thing(number)
    return [name for name in FIELDS if document.fields[name].values not in ((), (values[name],))]


def kept(document: scythe.Document) -> int:
    return sum(bool(document.fields[name].values) for name in FIELDS)


def test_a_site_that_stays_as_it_was_is_healthy() -> None:
    site = learn_shop()
    documents = [site.extract(shop_page(n), url_of(n)) for n in range(8, 60)]
    assert all(how.startswith("cut") for document in documents for how in document.how.values())
    assert site.drift.healthy
    assert (site.drift.pages, site.drift.log) == (52, ())


@pytest.mark.fault
@pytest.mark.parametrize("name", DESIGNS)
def test_a_redesign_gives_nothing_wrong_and_is_learned_without_help(name: str) -> None:
    site = learn_shop()
    for n in range(8, 18):
        site.extract(shop_page(n), url_of(n))
    got = [(n, site.extract(DESIGNS[name](shop_page(n)), url_of(n))) for n in [*range(18), *range(18, 40)]]
    assert [wrong_fields(document, n) for n, document in got] == [[]] * 40
    assert all(kept(document) == len(FIELDS) for _, document in got[12:])
    assert all(how.startswith("cut") for _, document in got[12:] for how in document.how.values())
    assert site.drift.healthy


def test_a_redesign_is_reported_within_three_pages() -> None:
    site = learn_shop()
    for n in range(3):
        site.extract(change_everything(shop_page(n)), url_of(n))
    assert [event.what for event in site.drift.events] == ["unknown"]
    assert site.drift.events[0].example == url_of(2)
    assert "pages fit no layout: 3 pages since" in str(site.drift)


def test_pages_of_the_old_design_are_still_cut_after_a_redesign() -> None:
    site = learn_shop()
    for n in range(8):
        site.extract(change_everything(shop_page(n)), url_of(n))
    document = site.extract(shop_page(50), url_of(50))
    assert len(site.profile.layouts) <= 3
    assert {name: document.fields[name].values[0] for name in FIELDS} == thing(50)
    assert all(how.startswith("cut") for how in document.how.values())


def test_what_cannot_be_recollected_stays_missing_and_reported() -> None:
    site = learn_shop()
    pages = [change_everything(shop_page(n)) for n in range(100, 140)]
    documents = [site.extract(page, url_of(100 + i)) for i, page in enumerate(pages)]
    assert [wrong_fields(document, 100 + i) for i, document in enumerate(documents)] == [[]] * 40
    assert not site.drift.healthy


def test_values_that_changed_with_the_design_are_no_examples() -> None:
    site = learn_shop()
    moved = {n: change_everything(shop_page(n)).replace(thing(n)["price"].encode(), b"$0.50") for n in range(20)}
    documents = [site.extract(body, url_of(n)) for n, body in moved.items()]
    assert all(document.fields["price"].values in ((), ("$0.50",)) for document in documents)
    assert [name for n, document in enumerate(documents) for name in wrong_fields(document, n) if name != "price"] == []


@pytest.mark.parametrize("name", ["renamed classes", "reordered attributes", "changed tags", "everything"])
def test_designs_that_alternate_are_one_event_and_one_layout(name: str) -> None:
    site = learn_shop()
    documents = []
    for n in range(200):
        documents.append(site.extract(shop_page(n), url_of(n)))
        documents.append(site.extract(DESIGNS[name](shop_page(n)), f"{url_of(n)}?new"))
    whats = [change.what for change in site.drift.log]
    assert max(whats.count("opened"), whats.count("learned")) <= 1
    assert len(site.profile.layouts) <= 2
    assert [wrong_fields(document, i // 2) for i, document in enumerate(documents)] == [[]] * 400


def test_designs_that_alternate_are_both_cut_in_the_end() -> None:
    site = learn_shop()
    for n in range(30):
        site.extract(shop_page(n), url_of(n))
        site.extract(change_everything(shop_page(n)), url_of(n))
    both = [site.extract(shop_page(50), None), site.extract(change_everything(shop_page(50)), None)]
    assert all(how.startswith("cut") for document in both for how in document.how.values())
    assert site.drift.healthy


def test_a_saved_site_goes_on_where_it_was(tmp_path: Path) -> None:
    site = learn_shop()
    for n in range(3):
        site.extract(change_everything(shop_page(n)), url_of(n))
    site.save(tmp_path / "shop.json")
    again = Site.load(tmp_path / "shop.json")
    assert again.drift == site.drift
    for n in range(8):
        again.extract(change_everything(shop_page(n)), url_of(n))
    assert again.extract(change_everything(shop_page(60)), None).fields["maker"].values == (thing(60)["maker"],)


def test_learning_again_is_the_same_every_time() -> None:
    profiles = []
    for _ in range(2):
        site = learn_shop()
        for n in range(12):
            site.extract(change_everything(shop_page(n)), url_of(n))
        profiles.append(site.profile.layouts)
    assert profiles[0] == profiles[1]


@pytest.mark.fault
def test_damaged_pages_raise_nothing_and_teach_nothing_wrong() -> None:
    site, random = learn_shop(), Random(7)
    for n in range(60):
        damaged = bytearray(shop_page(n))
        for _ in range(60):
            damaged[random.randrange(len(damaged))] = random.randrange(256)
        pages = (bytes(damaged), bytes(damaged[: random.randrange(len(damaged))]), random.randbytes(900), b"")
        site.extract(pages[n % 4], url_of(n) if n % 3 else None)
    document = site.extract(shop_page(70), url_of(70))
    assert {name: document.fields[name].values[0] for name in FIELDS} == thing(70)


def test_a_news_site_that_was_learned_by_itself_is_learned_again() -> None:
    def news(design: int) -> list[tuple[str, bytes, str]]:
        pages = demo_site(pages=144, design=design)
        return [
            (page.url, page.html, page.gold_title) for page in pages if (page.kind, page.language) == ("news", "en")
        ]

    site = Site.learn([(url, body) for url, body, _ in news(0)[:8]])
    for url, body, _ in news(0)[8:12]:
        site.extract(body, url)
    assert site.drift.healthy
    documents = [(site.extract(body, url), title) for url, body, title in news(1)]
    assert [document.title for document, _ in documents] == [title for _, title in documents]
    assert any(change.what == "learned" for change in site.drift.log)
    assert documents[-1][0].fields["text"].how.startswith("cut")
