"""What was learned, to look at: rules in words, and pages with what was cut from them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from tests.faults.growth import is_linear
from tests.site.test_drift import shop_page, thing, url_of
from tests.web.conftest import NARROW, Look, demo_pages, make_state
from tests.web.serving import serve_in_thread

from scythe.fetch.inputs import LoadedPage
from scythe.page.map import PageMap
from scythe.site.rules import FieldRules, PlaceRule, Profile, Usual
from scythe.site.select import Selector
from scythe.site.site import Site
from scythe.site.trace import CutRange, Tracer
from scythe.web.app import make_templates
from scythe.web.auth import Auth
from scythe.web.rules.rules import (
    MOST_BYTES,
    SourcePart,
    explain_at_hand,
    learn_site,
    list_rules,
    read_source_part,
    show_more,
    show_rules,
    show_windows,
)
from scythe.web.server import Serving
from scythe.web.state import PROFILE, NotNow, NotThere, State, StateOptions
from scythe.web.text_diff import compare_texts

OFFER = '<p class="offer">Half price until week {n}</p>'


def offer_page(number: int, offer: str = OFFER) -> bytes:
    """Write the page of a thing, every third without an offer."""
    said = offer.format(n=number).encode() if number % 3 else b""
    return shop_page(number).replace(b'<section class="notes">', said + b'<section class="notes">')


@cache
def shop_profile() -> Profile:
    """Learn the shop, and add a rule for offers, as people who edit profiles may."""
    examples = [{name: [value] for name, value in thing(n).items()} for n in range(9)]
    profile = Site.learn([(url_of(n), offer_page(n)) for n in range(9)], examples).profile
    offers = FieldRules(
        "offer",
        places=(PlaceRule("element", Selector(key=element_key("p", "offer"), name="p.offer")),),
        usual=Usual(pages=9, present=6, shortest=10, middle=24, longest=40),
    )
    [layout] = profile.layouts
    layout = replace(layout, fields=(*layout.fields, offers))
    return replace(profile, layouts=(layout,), fields=(*profile.fields, "offer"), named=())


def element_key(tag: str, name: str) -> int:
    """Return the key that elements of a tag and a class have."""
    page = PageMap(f'<{tag} class="{name}">'.encode())
    return int(page.key[-1])


def shop_state(folder: Path) -> State:
    """Return a state with eight pages of the shop and the rules for them."""
    bodies = [(n, offer_page(n)) for n in range(20, 28)]
    pages = [LoadedPage(f"thing-{n}.html", body, url_of(n), "text/html; charset=utf-8") for n, body in bodies]
    state = make_state(folder, pages)
    state.save_site(PROFILE, Site(shop_profile()))
    return state


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Follow all pages in one request: on a busy machine the time of one is soon over."""
    monkeypatch.setattr("scythe.web.rules.rules._BUDGET_S", 60.0)


@pytest.fixture
def state(request: pytest.FixtureRequest, tmp_path: Path) -> State:
    """The shop's state, unless a test wants that of the demo site, where nothing was learned."""
    if getattr(request, "param", "") == "demo":
        return make_state(tmp_path, demo_pages(12))
    return shop_state(tmp_path)


def marked(parts: list[SourcePart], place: int) -> str:
    return "".join(
        piece.text for part in parts for line in part.lines for piece in line.pieces if place in piece.places
    )


def test_what_is_marked_in_the_source_is_what_was_cut() -> None:
    tracer = Tracer(shop_profile())
    for n in range(20, 24):
        body = offer_page(n)
        found = tracer.trace_page(body, url_of(n))
        parts = show_windows(body, "utf-8", found.places)
        assert {place.name for place in found.places} >= {"name", "price", "maker", "weight"}
        assert [marked(parts, row) for row in range(len(found.places))] == [
            body[slice(*place.span)].decode() for place in found.places
        ]


def test_all_of_the_source_is_either_shown_or_named_as_left_out() -> None:
    body = b"<p>" + b"x" * 400_000 + b"<b>here</b>" + "ä".encode() * 300_000 + b"</p>\n" * 3
    at = body.find(b"<b>")
    parts = show_windows(body, "utf-8", [CutRange("field", "one", (at, at + 11))])
    assert [part.start for part in parts] == [0, *(part.end for part in parts[:-1])]
    assert parts[-1].end == len(body)
    assert sum(part.end - part.start for part in parts if part.lines) < 2_000
    assert all("\ufffd" not in piece.text for part in parts for line in part.lines for piece in line.pieces)
    assert marked(parts, 0) == "<b>here</b>"


def test_of_a_long_stretch_some_is_shown_and_the_rest_is_named() -> None:
    body = b"line\n" * 20_000
    shown, rest = show_more(body, "utf-8", [], 50, 99_000)
    assert 0 < shown.end - shown.start <= MOST_BYTES + 200
    assert (shown.lines[0].number, shown.lines[-1].number + 1) == (11, rest.first_line)
    assert (rest.start, rest.end, rest.lines) == (shown.end, 99_000, ())


@pytest.mark.parametrize("sign", ["\u00e4", "\u8a9e", "\U0001f33e"])
def test_no_character_is_cut_in_two_where_lines_are_long(sign: str) -> None:
    wide = sign.encode() * 20_000
    body = b"<p>" + wide + b"x<b>here</b>y" + wide
    at = body.find(b"<b>")
    parts = show_windows(body, "utf-8", [CutRange("field", "one", (at, at + 11))])
    assert sum(bool(part.lines) for part in parts) < len(parts)
    assert all("\ufffd" not in piece.text for part in parts for line in part.lines for piece in line.pieces)
    shown, _ = show_more(body, "utf-8", [], 3, len(body))
    assert all("\ufffd" not in piece.text for line in shown.lines for piece in line.pieces)


def test_an_outer_part_stays_marked_around_an_inner_one() -> None:
    body = b"<div>a<b>c</b>d</div>"
    parts = show_windows(body, "utf-8", [CutRange("field", "outer", (0, 21)), CutRange("field", "inner", (6, 14))])
    [line] = parts[0].lines
    assert [(piece.text, piece.places) for piece in line.pieces] == [
        ("<div>a", (0,)),
        ("<b>c</b>", (0, 1)),
        ("d</div>", (0,)),
    ]


def test_rules_are_told_with_how_they_fare_on_the_pages_at_hand(tmp_path: Path) -> None:
    seen = list_rules(shop_state(tmp_path))
    [layout] = seen.layouts
    fields = {field.name: field for field in layout.fields}
    assert (seen.pages, seen.left, seen.unknown, layout.at_hand) == (8, 0, 0, 8)
    assert (fields["price"].cut, fields["price"].chars) == (8, (6, 7))
    assert 0 < (fields["price"].cut_us or 0) < 5_000
    assert (fields["offer"].cut, fields["offer"].missing) == (5, 3)
    assert layout.rules.fields[-1].rules[0].says == "the first of p.offer"


def test_pages_for_which_there_is_no_time_are_left_for_the_next_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = shop_state(tmp_path)
    monkeypatch.setattr("scythe.web.rules.rules._BUDGET_S", -1.0)
    assert list_rules(state).left == 8
    monkeypatch.setattr("scythe.web.rules.rules._BUDGET_S", 60.0)
    assert list_rules(state).left == 0


def test_a_page_is_explained_with_where_its_rules_lead(tmp_path: Path) -> None:
    state = shop_state(tmp_path)
    found = explain_at_hand(state, page=1)
    price = next(field for field in found.fields if field.name == "price")
    assert (price.outcome, price.values) == ("cut", (thing(20)["price"],))
    assert found.places[price.place or 0].line in {rule.line for rule in price.rules}
    assert all(len(place.elements) == 1 for place in found.places)


def test_a_page_that_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    state = shop_state(tmp_path)
    for site, layout, page in (("", "", 99), ("", "x", 0), ("nowhere", "", 0)):
        with pytest.raises(NotThere):
            show_rules(state, site, layout, page)
    with pytest.raises(NotThere):
        explain_at_hand(state, page=99)
    with pytest.raises(NotThere):
        read_source_part(state, page=1, start=10, end=10**6)


def test_a_page_of_too_many_tags_is_named_but_not_followed(tmp_path: Path) -> None:
    state = shop_state(tmp_path)
    state.add_pages(PROFILE, [LoadedPage("large", offer_page(30) + b"<p>x</p>" * 60_000, url_of(30), None)])
    seen = list_rules(state)
    assert (seen.pages, seen.large, len(seen.measured)) == (9, 1, 8)
    with pytest.raises(NotNow, match="too large"):
        explain_at_hand(state, page=9)


def test_learning_again_does_not_forget_what_people_showed(tmp_path: Path) -> None:
    state = shop_state(tmp_path)
    state.save_site(PROFILE, Site(replace(shop_profile(), named=("price",))))
    with pytest.raises(NotNow, match="by example what price is"):
        learn_site(state)


def test_rules_are_shown_without_pages_and_nothing_is_shown_of_nothing(tmp_path: Path) -> None:
    state = make_state(tmp_path, [])
    fill = make_templates(state, Auth())
    empty = fill("rules.html", {"area": "rules", "wanted": None, **show_rules(state)})
    state.save_site(PROFILE, Site(shop_profile()))
    shown = show_rules(state)
    without_pages = fill("rules.html", {"area": "rules", "wanted": None, **shown})
    assert "Begin with some pages" in empty
    assert (shown["page"], shown["layout"].at_hand) == (None, 0)
    assert all(words in without_pages for words in ("There is no page at hand to follow", "data-take", "p.offer"))


def test_a_page_of_a_site_that_was_not_learned_cannot_be_explained(tmp_path: Path) -> None:
    state = make_state(tmp_path, demo_pages(3))
    with pytest.raises(NotNow, match="nothing was learned of 'profile' yet"):
        explain_at_hand(state, page=1)


def test_nothing_is_learned_that_could_not_be_saved() -> None:
    state = State(StateOptions(), demo_pages(3))
    with pytest.raises(NotNow, match="--profile FILE"):
        learn_site(state)
    with pytest.raises(NotNow, match="0 pages"):
        learn_site(State(StateOptions()))


def test_labels_of_images_outlive_learning_again(tmp_path: Path) -> None:
    state = make_state(tmp_path, demo_pages(6))
    given = [(page.url, page.body) for page in state.pages()]
    site = Site.learn(given)
    image = next(page for page in state.pages() if b"<figure" in page.body)
    site.annotate({str(image.url): ["#1"]}, given)
    state.save_site(PROFILE, site)
    job = state.jobs.find(learn_site(state).number)
    state.jobs.close()
    again = state.load_site(PROFILE)
    assert job is not None
    assert again is not None
    assert (job.state, job.error) in (("stopped", ""), ("done", ""))
    assert again.profile.images.labelled == site.profile.images.labelled


def test_texts_made_to_be_slow_to_compare_are_compared_in_time() -> None:
    assert is_linear(lambda size: compare_texts("x y " * size + "z", "y " + "x y " * size), 10_000)


def source_of(tab: Any, place: int) -> str:
    said: str = tab.evaluate(
        """(place) => [...document.querySelectorAll(".source mark")]
             .filter((mark) => mark.dataset.places.split(" ").includes(String(place)))
             .map((mark) => mark.textContent).join("")""",
        place,
    )
    return said


def test_a_person_sees_where_a_page_was_cut(look: Look, state: State) -> None:
    eyes = look("/rules")
    tab = eyes.tab
    assert "8 at hand" in tab.inner_text(".layouts")
    page = state.page(1)
    assert page is not None
    cut = Site(shop_profile()).extract(page.body, page.url)
    buttons = tab.locator(".legend button")
    assert buttons.count() == 5
    for number in range(5):
        name = buttons.nth(number).inner_text().split()[0]
        span = cut.fields[name].span
        assert span is not None
        assert source_of(tab, number) == page.body[slice(*span)].decode()
    tab.wait_for_selector(".outline")
    tab.click(".legend button:has-text('price')")
    outline = tab.locator(".outline.chosen").bounding_box()
    frame = tab.frame_locator("iframe").locator("span.price").bounding_box()
    assert abs(outline["x"] - frame["x"]) < 2
    assert abs(outline["y"] - frame["y"]) < 2
    tab.click(".field-rules summary >> nth=1")
    assert "On the page below" in tab.inner_text(".field-rules[open]")
    tab.evaluate("scrollTo(0, 0)")
    eyes.shoot("rules")
    tab.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    assert eyes.overflow() <= 0
    eyes.shoot("rules")


@pytest.mark.slow
@pytest.mark.parametrize("state", ["demo"], indirect=True)
def test_a_person_learns_a_site_and_opens_what_was_left_out(look: Look, state: State) -> None:
    eyes = look("/rules", dark=True)
    tab = eyes.tab
    eyes.shoot("rules-empty")
    tab.click("text=Learn these pages")
    tab.wait_for_selector(".field-rules")
    tab.wait_for_selector(".outline")
    site = state.load_site(PROFILE)
    number = int(tab.get_attribute(".on-page", "data-page"))
    page = state.page(number)
    assert site is not None
    assert page is not None
    while tab.locator(".gap button").count():
        before = tab.locator(".source .line").count()
        tab.click(".gap button >> nth=0")
        tab.wait_for_function("(before) => document.querySelectorAll('.source .line').length > before", arg=before)
    tab.click(".legend button:has-text('text')")
    place = int(tab.get_attribute(".legend button:has-text('text')", "data-place"))
    span = site.extract(page.body, page.url).fields["text"].span
    assert span is not None
    assert source_of(tab, place) == page.body[slice(*span)].decode()
    assert tab.evaluate("document.querySelector('.source ol').textContent.includes('</html>')")
    eyes.shoot("rules-dark")


@pytest.fixture
def large(tmp_path: Path) -> Iterator[Serving]:
    """A profile of 20 layouts and 60 pages at hand, served."""
    state = shop_state(tmp_path)
    pages = [LoadedPage(f"{n}.html", offer_page(n), url_of(n), None) for n in range(100, 152)]
    state.add_pages(PROFILE, pages)
    [layout] = shop_profile().layouts
    others = [
        replace(layout, name=f"other-{n}", marks=tuple((key ^ (n + 1), count) for key, count in layout.marks))
        for n in range(19)
    ]
    state.save_site(PROFILE, Site(replace(shop_profile(), layouts=(layout, *others))))
    with serve_in_thread(state) as served:
        yield served


def test_pages_are_measured_once_however_often_the_rules_of_twenty_layouts_are_shown(
    large: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(path: str) -> bytes:
        with urlopen(Request(f"{large.url}{path}", headers={"Authorization": f"Bearer {large.auth.token}"})) as answer:
            return bytes(answer.read())

    while json.loads(first := ask("api/rules"))["left"]:
        pass
    assert len(json.loads(first)["measured"]) == 60
    traced: list[object] = []
    monkeypatch.setattr(Tracer, "trace", lambda *asked: traced.append(asked))
    for path in ("rules", "rules?layout=other-3", "api/rules", "sites"):
        assert ask(path)
    assert traced == []
