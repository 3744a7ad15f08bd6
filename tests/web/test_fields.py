"""Pick fields with a mouse and without, see what is found elsewhere, correct it, save it, and extract by it."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.conftest import NARROW, Eyes, Look, make_state
from tests.web.serving import serve_in_thread

import scythe
from scythe.demo import world
from scythe.demo.world import price_of
from scythe.fetch.inputs import LoadedPage
from scythe.web.server import Serving
from scythe.web.state import State

expect = pytest.importorskip("playwright.sync_api").expect

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
def state(tmp_path: Path) -> State:
    """A state with products at hand, and some other pages of the same site."""
    others = [page for plan in SHOP.ledger.by_path.values() if plan.kind == "docs" and (page := SHOP.page(plan.path))]
    pages = [LoadedPage(page.path, page.html, page.url, page.content_type) for page in (*PRODUCTS[:AT_HAND], *others)]
    return make_state(tmp_path, pages)


@pytest.fixture
def serving(state: State) -> Iterator[Serving]:
    """The state, served."""
    with serve_in_thread(state) as served:
        yield served


def click_text(eyes: Eyes, text: str) -> None:
    """Click where a text stands on the saved page: the frame takes no clicks, what lies over it does."""
    frame = eyes.tab.frame_locator("#stage iframe")
    frame.get_by_text(text, exact=True).first.scroll_into_view_if_needed()
    box = frame.get_by_text(text, exact=True).first.bounding_box()
    eyes.tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(eyes.tab.locator(".box.hover .tip")).to_contain_text(text)
    eyes.tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    eyes.tab.locator("#pick").wait_for(state="visible")


def name_it(eyes: Eyes, name: str) -> None:
    eyes.tab.fill("#name", name)
    eyes.tab.keyboard.press("Enter")
    eyes.tab.locator("#named h3", has_text=name).wait_for()


def settle(eyes: Eyes) -> None:
    """Wait until all that was shown is learned."""
    eyes.tab.locator("#found[aria-busy=false]").wait_for()


def shoot_all(eyes: Eyes, name: str) -> None:
    """Keep screenshots of the window as it is, light and dark."""
    eyes.shoot(name, full=False)
    eyes.tab.emulate_media(color_scheme="dark")
    eyes.shoot(f"{name}-dark", full=False)
    eyes.tab.emulate_media(color_scheme="light")


@pytest.mark.slow
def test_three_fields_picked_on_a_page_are_right_on_all_others(look: Look, state: State) -> None:
    eyes = look("/fields")
    for name, value in GOLD[0].items():
        click_text(eyes, value)
        if name == "maker":
            shoot_all(eyes, "fields-named")
        name_it(eyes, name)
    settle(eyes)
    # first comes a common page, to make sure, then what looks like a name on pages of another kind, and is denied
    row = eyes.tab.locator(".finds tbody tr").first
    expect(row.locator(".reasons")).to_have_count(3)
    assert "only one page is shown so far" in row.inner_text()
    eyes.tab.evaluate("scrollTo(0, 0)")
    eyes.shoot("fields-found")
    row.get_by_role("button", name="All right").click()
    expect(row.locator("td[data-name=name]")).to_contain_text("another kind")
    settle(eyes)
    row.get_by_role("button", name="None here: name").click()
    expect(eyes.tab.locator(".finds td.doubtful")).to_have_count(0)
    settle(eyes)
    eyes.tab.locator("#found").scroll_into_view_if_needed()
    shoot_all(eyes, "fields-table")
    assert eyes.overflow() <= 0
    eyes.tab.click("#save")
    eyes.tab.locator("#plan", has_text="All that you showed is saved").wait_for()
    eyes.tab.evaluate("scrollTo(0, 0)")
    shoot_all(eyes, "fields-saved")
    site = scythe.Site.load(str(state.options.profile))
    rest = list(zip(PRODUCTS, GOLD, strict=True))[2:]
    got = [site.extract(page.html, url=page.url).fields for page, _ in rest]
    assert [{name: each[name].values for name in GOLD[0]} for each in got] == [
        {name: (value,) for name, value in gold.items()} for _, gold in rest
    ]
    assert set(site.profile.fields) > {"title", "text", *GOLD[0]}


def test_a_field_is_picked_and_corrected_by_keys_in_a_narrow_window(look: Look, state: State) -> None:
    eyes = look("/fields", size=NARROW)
    eyes.shoot("fields-begin")
    tab = eyes.tab
    tab.locator("#texts summary").focus()
    tab.keyboard.press("Enter")
    tab.locator("#texts-list button").first.wait_for()
    tab.keyboard.press("Tab")
    tab.keyboard.type("€")
    expect(tab.locator("#texts-list button")).to_have_count(1)
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    expect(tab.locator("#name")).to_be_focused()
    hostile = "<img src=x onerror=alert(1)>"
    tab.keyboard.type(hostile)
    eyes.shoot("fields-keys", full=False)
    tab.keyboard.press("Enter")
    settle(eyes)
    assert tab.locator("#named h3").inner_text() == hostile
    assert tab.locator(".finds td").first.get_attribute("data-name") == hostile
    # the second page is shown, and another element chosen by walking: the button beside the price, then back
    tab.locator(".finds td").get_by_role("button", name="Correct").nth(1).focus()
    tab.keyboard.press("Enter")
    expect(tab.locator(".over")).to_be_focused()
    expect(tab.locator("#chosen-title")).to_have_text(f"Correct “{hostile}”")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp"):
        tab.keyboard.press(key)
    expect(tab.locator("#path button[aria-current]")).to_be_visible()
    assert eyes.overflow() <= 0
    eyes.shoot("fields-found")
