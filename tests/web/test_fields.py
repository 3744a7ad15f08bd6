"""Pick fields with a mouse and without, see what is found elsewhere, correct it, save it, and extract by it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import NARROW, WIDE, Eyes, Look, make_room

import scythe
from scythe.demo import world
from scythe.demo.shop import price_of
from scythe.sources import Loaded
from scythe.web.room import Room
from scythe.web.serve import Serving, serve_in_thread

SHOP = world(pages=100)
PLANS = [plan for plan in SHOP.ledger.by_path.values() if plan.kind == "product"]
PRODUCTS = [page for plan in PLANS if (page := SHOP.page(plan.path))]
MAKER = re.compile(r"Maker</td><td>([^<]*)")
GOLD = [
    {
        "name": plan.title,
        "price": f"€ {price_of(plan)}",
        "maker": html.unescape(MAKER.findall(page.html.decode())[0]),
    }
    for plan, page in zip(PLANS, PRODUCTS, strict=True)
]
AT_HAND = 10  # of the products; the others are extracted


@pytest.fixture
def room(tmp_path: Path) -> Room:
    """A room with products at hand, and some other pages of the same site."""
    others = [page for plan in SHOP.ledger.by_path.values() if plan.kind == "docs" and (page := SHOP.page(plan.path))]
    pages = [Loaded(page.path, page.html, page.url, page.content_type) for page in (*PRODUCTS[:AT_HAND], *others)]
    return make_room(tmp_path, pages)


@pytest.fixture
def serving(room: Room) -> Iterator[Serving]:
    """The room, served."""
    with serve_in_thread(room) as served:
        yield served


def click_text(eyes: Eyes, text: str) -> None:
    """Click where a text stands on the saved page: the frame takes no clicks, what lies over it does."""
    frame = eyes.tab.frame_locator("#stage iframe")
    frame.get_by_text(text, exact=True).first.scroll_into_view_if_needed()
    box = frame.get_by_text(text, exact=True).first.bounding_box()
    eyes.tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    eyes.tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    eyes.tab.locator("#pick").wait_for(state="visible")


def name_it(eyes: Eyes, name: str) -> None:
    eyes.tab.fill("#name", name)
    eyes.tab.keyboard.press("Enter")
    eyes.tab.locator("#named h3", has_text=name).wait_for()


def settle(eyes: Eyes) -> None:
    """Wait until all that was shown is learned."""
    eyes.tab.locator("#found[aria-busy=false]").wait_for()


def test_three_fields_picked_on_one_page_are_right_on_all_others(look: Look, room: Room) -> None:
    eyes = look("/fields")
    eyes.shoot("fields-begin")
    for name, value in GOLD[0].items():
        click_text(eyes, value)
        if name == "price":
            eyes.shoot("fields-named", full=False)
        name_it(eyes, name)
    settle(eyes)
    assert eyes.overflow() <= 0
    eyes.shoot("fields-found")
    eyes.tab.click("#save")
    eyes.tab.locator("#saved", has_text="Saved in").wait_for()
    eyes.shoot("fields-saved")
    site = scythe.Site.load(str(room.options.profile))
    rest = list(zip(PRODUCTS, GOLD, strict=True))[1:]
    got = [site.extract(page.html, url=page.url).fields for page, _ in rest]
    assert [{name: each[name].values for name in GOLD[0]} for each in got] == [
        {name: (value,) for name, value in gold.items()} for _, gold in rest
    ]
    assert set(site.profile.fields) > {"title", "text", *GOLD[0]}
