"""What is shown of fields, learned of it, doubted and saved, as programs ask for it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.web.asking import call
from tests.web.conftest import make_state
from tests.web.serving import serve_in_thread

import scythe
from scythe.archive.stored_sites import add_site
from scythe.cli.page_inputs import load_pages, read_examples
from scythe.demo import world
from scythe.demo.world import price_of
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import LoadedPage
from scythe.url import Url
from scythe.web.fields import fields
from scythe.web.fields.field_pages import KEPT, FieldPages
from scythe.web.fields.fields import (
    FIELDS,
    VALUES,
    FieldsView,
    FieldView,
    Pick,
    PickWanted,
    session_of,
)
from scythe.web.fields.fields_trial import FoundValues, Usually, ValueDoubt, doubt
from scythe.web.state import PROFILE, JobView, NotNow, NotThere, State, StateOptions

SHOP = world(pages=60)
PLANS = [plan for plan in SHOP.ledger.by_path.values() if plan.kind == "product"][:8]
PRODUCTS = [page for plan in PLANS if (page := SHOP.page(plan.path))]
PRICES = [f"€ {price_of(plan)}" for plan in PLANS]


@pytest.fixture
def state(tmp_path: Path) -> State:
    """A state with products at hand."""
    return make_state(tmp_path, [LoadedPage(page.path, page.html, page.url) for page in PRODUCTS])


def element_of(state: State, text: str, page: int = 1) -> int:
    """Return the number of the first element that shows a text."""
    found = fields.list_texts(state, page=page, text=text).texts[0].element
    assert found is not None
    return found


def pick(state: State, name: str, text: str, page: int = 1, **more: Any) -> FieldsView:
    return fields.pick_value(state, PickWanted(page=page, name=name, element=element_of(state, text, page), **more))


def learned(state: State) -> FieldsView:
    """Learn what was shown and return how it stands."""
    done(fields.learn_picked(state), state)
    return fields.see_fields(state)


def done(job: JobView, state: State) -> Any:
    """Wait for work, and return what came of it."""
    under_way = state.jobs.find(job.number)
    assert under_way is not None
    assert under_way.ended.wait(60)
    assert under_way.error == ""
    return under_way.result


def found(seen: FieldsView, name: str) -> list[tuple[str, ...]]:
    """Return what was found, in the order of the pages."""
    rows = sorted(seen.rows, key=lambda row: row.page)
    return [cell.values for row in rows for cell in row.cells if cell.name == name]


def the_field(seen: FieldsView, name: str) -> FieldView:
    return next(field for field in seen.fields if field.name == name)


def test_a_part_of_a_text_is_learned(state: State) -> None:
    for page in (1, 2):
        pick(state, "seller", f"By {PLANS[page - 1].author}", page, value=PLANS[page - 1].author)
    seen = learned(state)
    assert found(seen, "seller") == [(plan.author,) for plan in PLANS]
    assert seen.is_tried


def test_a_part_that_leaves_out_only_signs_is_refused(state: State) -> None:
    with pytest.raises(BadInput, match="take the whole"):
        pick(state, "amount", PRICES[0], value=PRICES[0].removeprefix("€ "))


def test_an_attribute_is_learned(state: State) -> None:
    image = next(
        text.element for text in fields.list_texts(state, page=1, text=PLANS[0].title).texts if text.says == "img"
    )
    seen = fields.see_element(state, page=1, element=image or 0)
    address = next(take.value for take in seen.takes if take.attribute == "src")
    assert address.endswith("-large.jpg")
    fields.pick_value(state, PickWanted(page=1, name="photo", element=image, attribute="src"))
    values = [value for values in found(learned(state), "photo") for value in values]
    assert len(values) == len(PRODUCTS)
    assert all(value.endswith("-large.jpg") for value in values)


def test_a_field_that_repeats_is_shown_value_by_value(state: State) -> None:
    for page in (1, 2):
        body = PRODUCTS[page - 1].html.decode().partition("<h3>Features</h3>")[2].partition("</ul>")[0]
        for line in body.split("<li>")[1:]:
            pick(state, "feature", line.partition("</li>")[0], page, also=True)
    seen = learned(state)
    assert [len(shown.values) for shown in the_field(seen, "feature").shown] == [4, 4]
    assert [len(values) for values in found(seen, "feature")] == [4] * len(PRODUCTS)


def test_a_text_of_the_head_is_picked_without_an_element(state: State) -> None:
    title = f"{PLANS[0].title} | The Field Post"
    block = fields.list_texts(state, page=1, text=title).texts[-1]
    assert (block.element, block.says) in ((None, "title"), (None, "meta og:title"))
    for page in (1, 2, 4):
        heading = f"{PLANS[page - 1].title} | The Field Post"
        fields.pick_value(state, PickWanted(page=page, name="heading", value=heading))
    assert found(learned(state), "heading")[2] == (f"{PLANS[2].title} | The Field Post",)
    with pytest.raises(BadInput, match="the page does not show"):
        fields.pick_value(state, PickWanted(page=1, name="heading", value="nowhere to be seen"))


def test_elements_lead_to_those_around_beside_and_inside(state: State) -> None:
    price = fields.see_element(state, page=1, element=element_of(state, PRICES[0]))
    assert price.says == "span.price"
    assert [step.says for step in price.path][-2:] == ["div.buy-box", "span.price"]
    assert price.next is not None
    assert price.parent is not None
    assert fields.see_element(state, page=1, element=price.next).text == "Add to basket"
    assert fields.see_element(state, page=1, element=price.parent).child == price.element
    with pytest.raises(NotThere, match="has no element"):
        fields.see_element(state, page=1, element=100_000)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "needs a name"),
        ("   ", "needs a name"),
        ("x" * 61, "60 characters at most, this one 61"),
        ("pri\x00ce", "cannot be seen"),
        ("pri\u202ece", "cannot be seen"),
        ("images", "Annotate"),
    ],
)
def test_names_that_cannot_be_kept_are_refused_with_words(state: State, name: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        pick(state, name, PRICES[0])
    assert fields.see_fields(state).fields == ()


def test_an_element_in_a_link_offers_where_the_link_leads(tmp_path: Path) -> None:
    body = b'<p><a href="/things/7"><b>The kettle</b></a></p><b>No link</b>'
    state = make_state(tmp_path, [LoadedPage("list.html", body, "https://shop.example/")])
    takes = fields.see_element(state, page=1, element=element_of(state, "The kettle")).takes
    assert [(take.attribute, take.value) for take in takes] == [("", "The kettle"), ("href", "/things/7")]
    assert "around" in takes[1].says
    takes = fields.see_element(state, page=1, element=element_of(state, "No link")).takes
    assert [take.value for take in takes] == ["No link"]


def test_of_a_deep_page_the_nearest_elements_around_are_shown(tmp_path: Path) -> None:
    state = make_state(tmp_path, [LoadedPage("deep.html", b"<div>" * 100 + b"<b>deep</b>", "https://deep.example/")])
    seen = fields.see_element(state, page=1, element=element_of(state, "deep"))
    assert len(seen.path) == 65
    assert [step.says for step in seen.path] == ["div"] * (len(seen.path) - 1) + ["b"]
    assert seen.parent == seen.path[-2].element


def test_texts_of_the_head_without_a_name_are_not_offered(tmp_path: Path) -> None:
    body = b'<head><meta content="nameless"><meta name="author" content="Ann"></head><p>x'
    state = make_state(tmp_path, [LoadedPage("a.html", body, "https://a.example/")])
    texts = fields.list_texts(state, page=1).texts
    assert [(text.says, text.text) for text in texts] == [("p", "x"), ("meta author", "Ann")]


def test_a_page_without_an_address_is_shown_by_its_name(tmp_path: Path) -> None:
    state = make_state(
        tmp_path, [LoadedPage("saved.html", b"<p>x", None), LoadedPage("b", b"<p>y", "https://a.example/y?z=1")]
    )
    assert [page["label"] for page in fields.show_fields(state)["pages"]] == ["saved.html", "/y?z=1"]


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (PickWanted(page=1, name="price"), "say which value"),
        (PickWanted(page=1, name="price", value=" \n "), "say which value"),
        (PickWanted(page=1, name="price", element=0, attribute="href"), "the element has no href"),
        (PickWanted(page=2, name="price", element=1), "the element has no text"),
        (PickWanted(page=2, name="price", element=2), "more than 20000 characters; choose an element inside"),
    ],
)
def test_where_there_is_no_value_to_take_it_says_why(tmp_path: Path, wanted: PickWanted, why: str) -> None:
    long = b"<body><img><div>" + b"word " * 5_000 + b"</div>"
    pages = [("a.html", PRODUCTS[0].html), ("b.html", long)]
    state = make_state(tmp_path, [LoadedPage(name, body, f"https://shop.example/{name}") for name, body in pages])
    with pytest.raises(BadInput, match=why):
        fields.pick_value(state, wanted)
    assert fields.see_fields(state).fields == ()


def test_there_is_a_bound_to_what_is_shown(state: State) -> None:
    session = session_of(state, PROFILE)
    with pytest.raises(BadInput, match=f"at most {VALUES} values per page are possible"):
        session.show(1, "price", (Pick("1"),) * (VALUES + 1))
    for number in range(FIELDS):
        fields.say_none(state, page=1, name=f"field {number}")
    with pytest.raises(BadInput, match=f"at most {FIELDS} fields are possible"):
        fields.say_none(state, page=1, name="one more")
    seen = fields.say_none(state, page=2, name="field 0")
    assert len(seen.fields) == FIELDS


def test_nothing_shown_is_neither_learned_nor_saved(state: State) -> None:
    for work in (fields.learn_picked(state), fields.save_fields(state)):
        job = state.jobs.find(work.number)
        assert job is not None
        assert job.ended.wait(60)
        assert (job.state, job.error) == ("failed", "nothing is shown yet: click a value on a page and name it")
    assert state.load_site(PROFILE) is None


def test_only_what_was_found_can_be_accepted(state: State) -> None:
    fields.say_none(state, page=1, name="gift")
    with pytest.raises(NotNow, match="nothing is learned yet"):
        fields.accept_found(state, page=1, name="gift")
    learned(state)
    for name in ("gift", "never heard of"):
        with pytest.raises(NotThere, match=f"nothing was found for '{name}' on this page"):
            fields.accept_found(state, page=2, name=name)


def test_the_trees_of_few_pages_are_kept(tmp_path: Path) -> None:
    loaded = [LoadedPage(f"{n}", b"<p>page %d" % n, f"https://a.example/{n}") for n in range(KEPT + 2)]
    state = make_state(tmp_path, loaded)
    pages = state.part(FieldPages)
    first, *others = state.pages()
    kept = pages.get(first)
    assert pages.get(first) is kept
    last = [pages.get(page) for page in others][-1]
    assert pages.get(others[-1]) is last
    again = pages.get(first)
    assert again is not kept
    assert [block.text for block in again.blocks()] == ["page 0"]


def test_what_stands_elsewhere_is_no_part_of_an_element(state: State) -> None:
    with pytest.raises(BadInput, match="does not occur in this element"):
        pick(state, "price", PRICES[0], value=PLANS[0].title)


def test_after_one_page_a_common_one_is_asked_for_first(state: State) -> None:
    pick(state, "price", PRICES[0])
    first = learned(state).rows[0]
    assert first.cells[0].reasons == ("only one page is shown so far: is this right?",)
    fields.accept_found(state, page=first.page, name="price")
    assert [row.doubt for row in learned(state).rows] == [0.0] * len(PRODUCTS)


def test_what_a_change_changed_is_said(state: State) -> None:
    pick(state, "price", PRICES[0])
    pick(state, "name", PLANS[0].title)
    learned(state)
    pick(state, "price", PLANS[0].title)
    seen = learned(state)
    assert (the_field(seen, "price").changed, the_field(seen, "name").changed) == (len(PRODUCTS), 0)
    cell = next(row for row in seen.rows if row.page == 4).cells[0]
    assert f"before your last change: “{PRICES[3]}”" in cell.reasons


@pytest.mark.parametrize(
    "body", [b"", b"\x00\xff", b"<frameset><frame></frameset>", b"<p>" * 5_000 + b"deep", b"<svg><text>x"]
)
def test_odd_pages_can_be_looked_at(tmp_path: Path, body: bytes) -> None:
    state = make_state(tmp_path, [LoadedPage("odd.html", body, "https://odd.example/")])
    for text in fields.list_texts(state, page=1).texts:
        assert text.element is None or fields.see_element(state, page=1, element=text.element).page == 1
    fields.say_none(state, page=1, name="price")
    assert found(learned(state), "price") == [()]


def test_fields_of_a_site_of_the_archive_are_saved_there(tmp_path: Path) -> None:
    state = make_state(tmp_path, [], archive=str(tmp_path / "archive.db"))
    with state.archive() as archive:
        add_site(archive, "shop.example", Url("https://shop.example/"))
    state.add_pages("shop.example", [LoadedPage(page.path, page.html, page.url) for page in PRODUCTS])
    pick(state, "price", PRICES[0])
    saved = done(fields.save_fields(state, site="shop.example", with_usual=False), state)
    assert saved.where.startswith("version ")
    site = state.load_site("shop.example")
    assert site is not None
    assert site.extract(PRODUCTS[5].html, url=PRODUCTS[5].url).fields["price"].values == (PRICES[5],)


def test_accepting_denying_forgetting_and_taking_back(state: State) -> None:
    pick(state, "price", PRICES[0])
    learned(state)
    fields.accept_found(state, page=2, name="price")
    seen = fields.say_none(state, page=3, name="price")
    assert [(one.page, [each.value for each in one.values]) for one in seen.fields[0].shown] == [
        (1, [PRICES[0]]),
        (2, [PRICES[1]]),
        (3, []),
    ]
    assert not seen.is_tried
    row = next(row for row in learned(state).rows if row.page == 3)
    assert row.cells[0].reasons in (("the rule finds something here, you said there is none",), ())
    seen = fields.forget_field(state, name="price", page=2)
    assert [one.page for one in seen.fields[0].shown] == [1, 3]
    for _ in range(3):
        seen = fields.undo_pick(state)
    assert [one.page for one in seen.fields[0].shown] == [1]
    assert fields.undo_pick(state).fields == ()
    with pytest.raises(NotNow):
        fields.undo_pick(state)


def test_what_cannot_be_learned_is_said_in_words(state: State) -> None:
    fields.pick_value(state, PickWanted(page=1, name="price", element=element_of(state, PRICES[0])))
    fields.say_none(state, page=2, name="gift")
    seen = learned(state)
    assert the_field(seen, "gift").found == 0
    assert found(seen, "price") == [(price,) for price in PRICES]


def test_saving_keeps_what_a_profile_has_and_can_be_taken_back(state: State) -> None:
    path = state.options.profile
    assert path is not None
    pages = [(page.url, page.html) for page in PRODUCTS]
    site = scythe.Site.learn(pages)
    site.annotate({PRODUCTS[0].url: list(PRODUCTS[0].gold_images)}, pages)
    site.save(path)
    before = site.profile
    pick(state, "price", PRICES[0])
    plan = learned(state).plan
    assert "Added: price." in plan
    assert f"Kept as it is: {', '.join(before.fields)}." in plan
    assert "Kept: what people said of images on 1 pages." in plan
    done(fields.save_fields(state), state)
    after = scythe.Site.load(path).profile
    assert after.fields == (*before.fields, "price")
    assert after.images.labelled == before.images.labelled
    assert fields.see_fields(state).plan == (f"All that you showed is saved in {path}.",)
    fields.restore_profile(state)
    assert scythe.Site.load(path).profile == before
    with pytest.raises(NotNow):
        fields.restore_profile(state)


def test_a_field_that_scythe_reads_by_itself_is_replaced_and_that_is_said(state: State) -> None:
    assert state.options.profile is not None
    scythe.Site.learn([(page.url, page.html) for page in PRODUCTS]).save(state.options.profile)
    pick(state, "title", PRICES[0])
    plan = learned(state).plan
    assert "Until now scythe found title by itself; from then on what you showed counts." in plan


def test_where_nothing_else_is_known_nothing_is_said_to_be_kept(state: State) -> None:
    pick(state, "price", PRICES[0])
    done(fields.save_fields(state, with_usual=False), state)
    plan = pick(state, "price", PRICES[1], 2).plan
    assert plan == ("Replaced, on the kinds of pages where you showed it: price.",)


def test_without_the_usual_fields_only_those_shown_are_saved(state: State) -> None:
    pick(state, "price", PRICES[0])
    done(fields.save_fields(state, with_usual=False), state)
    assert scythe.Site.load(str(state.options.profile)).profile.fields == ("price",)


def test_there_may_be_no_file_to_save_to() -> None:
    state = State(StateOptions(), [LoadedPage(page.path, page.html, page.url) for page in PRODUCTS[:3]])
    seen = pick(state, "price", PRICES[0])
    assert not seen.can_save
    with pytest.raises(NotNow, match="--archive FILE or --profile FILE"):
        fields.save_fields(state)


def test_downloads_are_what_scythe_learn_reads(state: State, tmp_path: Path) -> None:
    pick(state, "price", PRICES[0])
    fields.say_none(state, page=3, name="gift")
    page_set, examples = tmp_path / "pages.jsonl", tmp_path / "fields.json"
    page_set.write_bytes(fields.send_page_set(state).body)
    examples.write_bytes(fields.send_examples(state).body)
    loaded = list(load_pages([str(page_set)], None, FetchOptions()))
    assert [page.url for page in loaded] == [page.url for page in PRODUCTS]
    assert [page.example for page in loaded[:3]] == [{"price": [PRICES[0]]}, None, {"gift": []}]
    assert read_examples(examples, loaded)[:3] == [{"price": [PRICES[0]]}, None, {"gift": []}]
    assert json.loads(examples.read_text())[PRODUCTS[0].url] == {"price": [PRICES[0]]}


def test_by_http_names_are_refused_and_without_pages_it_says_what_to_do(state: State, tmp_path: Path) -> None:
    with serve_in_thread(state) as serving:
        refused = call(serving, "/api/fields/pick", {"page": 1, "name": "x" * 61, "value": PRICES[0]})
        assert (refused.status, refused.value["error"]) == (
            422,
            "the name of a field has 60 characters at most, this one 61",
        )
        assert call(serving, "/fields?site=nobody.example").status == 404
    with serve_in_thread(make_state(tmp_path, [])) as serving:
        shown = call(serving, "/fields")
        assert shown.status == 200
        assert b"No pages at hand yet" in shown.body
        assert b'data-next="/fields?site=profile"' in shown.body


def test_the_view_begins_with_a_site_that_has_pages(state: State) -> None:
    assert fields.show_fields(state)["first"] == 1
    assert fields.show_fields(state, page=4)["first"] == 4
    with pytest.raises(NotThere):
        fields.show_fields(state, site="nobody.example")


PLAIN = FoundValues(("€ 12.00",), "cut: tag+before")
ALL = [PLAIN, FoundValues(("€ 9.50",), "cut: tag"), FoundValues(("€ 19.00",), "cut: tag"), PLAIN]


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (FoundValues((), "missing: no anchor"), "missing, though 4 of 5 pages have it"),
        (FoundValues(("ask us",), "cut: tag"), "without digits, which nearly all others have"),
        (FoundValues(("€ 12.00 " + "and more " * 9,), "cut: tag"), "much longer than the others"),
        (FoundValues(("€ 12.00",), "tree: read cold"), "read from the page"),
        (FoundValues(("€ 12.00",), "cut: tag", ("€ 15.00",)), "another way gives"),
        (FoundValues(("€ 12.00",), "cut: tag", shown=("€ 13.00",)), "the rule finds something else"),
        (FoundValues((), "missing", shown=("€ 13.00",)), "does not find what you showed"),
        (FoundValues(("€ 12.00",), "tree: x", is_other_kind=True), "a page of another kind"),
        (FoundValues(("€ 12.00",), "cut: tag", is_second=True), "only one page is shown so far"),
        (FoundValues(("€ 12.00",), "cut: tag", earlier=("€ 15.00",)), "before your last change: “€ 15.00”"),
        (FoundValues((), "missing", earlier=("€ 15.00",)), "before your last change"),
    ],
)
def test_what_is_doubtful_says_why(one: FoundValues, reason: str) -> None:
    judged = doubt(one, Usually.of([*ALL, one]))
    assert judged.share >= 0.3
    assert any(reason in each for each in judged.reasons)


@pytest.mark.parametrize(
    ("others", "odd", "reason"),
    [
        (["no number", "none given", "unknown", "ask"], "call 7", "with digits, which nearly all others lack"),
        (["12", "3.50", "7", "19"], "12 Mark", "with letters, which nearly all others lack"),
        (["A long title of a page"] * 4, "Home", "much shorter than the others: 4 characters, usually 22"),
    ],
)
def test_a_value_of_another_form_is_doubtful(others: list[str], odd: str, reason: str) -> None:
    one = FoundValues((odd,), "cut: tag")
    usually = Usually.of([*(FoundValues((value,), "cut: tag") for value in others), one])
    assert doubt(one, usually).reasons == (reason,)


def test_of_two_values_nothing_is_said_of_what_is_usual() -> None:
    one, other = FoundValues(("ask us",), "cut: tag"), FoundValues(("€ 12.00",), "cut: tag")
    assert doubt(one, Usually.of([one, other])) == ValueDoubt()


def test_what_is_like_all_others_is_not_doubted() -> None:
    usually = Usually.of(ALL)
    assert [doubt(one, usually) for one in ALL] == [ValueDoubt()] * 4


def test_the_same_on_all_pages_is_doubtful() -> None:
    usually = Usually.of([PLAIN] * 3)
    assert doubt(PLAIN, usually).reasons == ("the same on all 3 pages",)
