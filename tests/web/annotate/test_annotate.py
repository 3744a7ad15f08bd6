"""Images are marked with clicks and keys, as a person does it; what is learned of them is what a label file teaches."""

import json
from dataclasses import replace
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from tests.web.conftest import NARROW, WIDE, Eyes, Look, make_state
from tests.web.serving import serve_in_thread
from tests.work import count_calls

from scythe.archive.stored_sites import add_site
from scythe.demo import DemoPage, World
from scythe.demo.serve import DemoOptions as DemoOptions
from scythe.demo.serve import serve_demo
from scythe.errors import BadInput
from scythe.fetch.inputs import FROM_FILES, LoadedPage, spread
from scythe.page import Page
from scythe.site.site import Site
from scythe.web.annotate.annotate import (
    begin_session,
    expect_marks,
    mark_images,
    open_annotated_page,
    redo_marks,
    save_marks,
    see_session,
    show_annotate,
    undo_marks,
)
from scythe.web.frames.frames import give_consent
from scythe.web.state import PROFILE, JobView, NotNow, NotThere, State, StateOptions, see

KINDS = ("product", "gallery", "news", "blog", "recipe")


def demo(pages: int = 24, seed: int = 1) -> list[DemoPage]:
    """Pages of the demo site that have images: products with galleries, picture pages, stories."""
    world = World(seed, pages)
    return [page for path in world.paths if (page := world.page(path)) is not None and page.kind in KINDS]


PAGES = demo()


def load(pages: list[DemoPage]) -> list[LoadedPage]:
    return [LoadedPage(page.path, page.html, page.url, page.content_type) for page in pages]


def gold_rows(page: DemoPage) -> list[int]:
    """Return the numbers of the images that belong to a page."""
    uses = Page.from_bytes(page.html, url=page.url, content_type=page.content_type).images
    gold = set(page.gold_images)
    return [row for row, use in enumerate(uses) if gold & {use.image.src, *use.image.sources, *use.addresses}]


@pytest.fixture
def state(tmp_path: Path) -> State:
    """A state with pages of the demo site at hand and a profile that is not there yet."""
    return make_state(tmp_path, load(PAGES))


@pytest.fixture
def shown() -> dict[str, DemoPage]:
    """The pages at hand by their addresses."""
    return {page.url: page for page in PAGES}


def wait(state: State, job: JobView) -> JobView:
    """Wait for work to end."""
    for thread in state.jobs._threads:
        thread.join(60)
    ended = state.jobs.find(job.number)
    assert ended is not None
    return see(ended)


def measure(site: Site, pages: list[DemoPage]) -> float:
    """Return F over the images of pages: how well a site tells those that belong to them."""
    hits = wrong = missed = 0
    for page in pages:
        found = {image.src for image in site.extract(page.html, url=page.url).images if image.relevant}
        gold = {row: use.image.src for row, use in enumerate(Page.from_bytes(page.html, url=page.url).images)}
        wanted = {gold[row] for row in gold_rows(page)}
        hits, wrong, missed = hits + len(found & wanted), wrong + len(found - wanted), missed + len(wanted - found)
    return 2 * hits / (2 * hits + wrong + missed)


# -- in the browser ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_six_pages_annotated_with_clicks_and_keys_teach_what_a_label_file_does(
    look: Look, state: State, shown: dict[str, DemoPage]
) -> None:
    eyes = look("/annotate")
    seen = {}
    for number in range(1, 7):
        expect_text(eyes, "#place", f"Page {number} of 6")
        page = shown[eyes.tab.inner_text("#page-url")]
        seen[page.url] = [f"#{row + 1}" for row in gold_rows(page)]
        correct(eyes, set(gold_rows(page)), by_keys=number % 2 == 0)
        if number == 1:
            assert "Confirm" in eyes.tab.inner_text("#confirm")
            eyes.tab.click("#confirm")
        else:
            eyes.tab.keyboard.press("n")
    eyes.tab.wait_for_selector("#done")
    assert "of 100 relevant images" in eyes.tab.inner_text("#review")
    eyes.shoot("annotate-review")
    eyes.tab.click("#done")
    eyes.tab.wait_for_selector("#more")
    assert "scythe cut " in eyes.tab.inner_text("#review pre")
    eyes.shoot("annotate-saved")

    bodies = [(page.url, page.html) for page in PAGES]
    by_file = Site.learn([*spread(bodies, FROM_FILES)])
    by_file.annotate(seen, bodies)
    assert state.options.profile is not None
    by_clicks = Site.load(state.options.profile)
    assert by_clicks.profile.images == by_file.profile.images
    others = [page for page in (*PAGES, *demo(seed=2)[:20]) if page.url not in seen]
    assert measure(by_clicks, others) >= measure(by_file, others) >= 0.95


def expect_text(eyes: Eyes, where: str, text: str) -> None:
    from playwright.sync_api import expect

    expect(eyes.tab.locator(where)).to_have_text(text)


def correct(eyes: Eyes, gold: set[int], *, by_keys: bool) -> None:
    """Mark the images of gold, and no other: over the page where they can be seen, else in the strip."""
    tab = eyes.tab
    tab.wait_for_selector(".over .mark")
    for thumb in tab.query_selector_all(".thumb"):
        row = int(thumb.get_attribute("data-row"))
        if (thumb.get_attribute("aria-pressed") == "true") == (row in gold):
            continue
        over = tab.query_selector(f'.over .mark[data-row="{row}"]')
        if by_keys:
            thumb.focus()
            tab.keyboard.press("x")
        else:
            (over or thumb).click()
        assert (thumb.get_attribute("aria-pressed") == "true") == (row in gold)
        assert over is None or over.get_attribute("aria-pressed") == thumb.get_attribute("aria-pressed")


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_page_shows_every_image_twice_and_fits_its_window(look: Look, size: tuple[int, int]) -> None:
    eyes = look("/annotate", size=size)
    eyes.tab.wait_for_selector(".over .mark")
    assert eyes.overflow() <= 0
    assert eyes.tab.locator(".strip .thumb").count() == 13
    assert 0 < eyes.tab.locator(".over .mark").count() <= 13
    label = eyes.tab.locator(".over .mark").first.get_attribute("aria-label")
    assert label == "The Field Post: 0\u202f% likely relevant"
    assert eyes.tab.locator("iframe").get_attribute("sandbox") == "allow-same-origin"
    eyes.shoot("annotate", full=False)


def test_keys_alone_lead_through_a_page_and_marks_outlive_a_reload(look: Look) -> None:
    eyes = look("/annotate")
    tab = eyes.tab
    tab.wait_for_selector(".over .mark")
    assert tab.locator("#accept.foremost").count() == 1  # rather than to confirm in haste that none is relevant
    tab.keyboard.press("0")
    tab.keyboard.press("j")
    tab.keyboard.press("Space")
    assert tab.locator("#accept.foremost, #confirm.calm").count() == 0
    pressed = '.thumb[aria-pressed="true"]'
    row = tab.locator(pressed).get_attribute("data-row")
    assert tab.evaluate("document.activeElement.dataset.row") == row
    tab.keyboard.press("a")
    accepted = tab.locator(pressed).count()
    tab.keyboard.press("z")
    expect_text(eyes, "#told", "1 of 13 relevant")
    tab.keyboard.press("y")
    expect_text(eyes, "#told", f"{accepted} of 13 relevant")
    tab.keyboard.press("?")
    assert "next image" in tab.inner_text("dialog")
    tab.keyboard.press("Escape")
    warnings: list[str] = []
    tab.on("dialog", lambda dialog: (warnings.append(dialog.type), dialog.accept()))
    tab.reload()
    assert warnings == ["beforeunload"]
    expect_text(eyes, "#told", f"{accepted} of 13 relevant")
    tab.keyboard.press("n")
    expect_text(eyes, "#place", "Page 2 of 6")
    assert "Marked as scythe expects" in tab.inner_text("#hint")
    tab.keyboard.press("p")
    expect_text(eyes, "#place", "Page 1 of 6")
    eyes.shoot("annotate-keys")


def test_pictures_come_through_this_server_and_only_when_allowed(look: Look, state: State) -> None:
    with serve_demo(DemoOptions(pages=40)) as served:
        pages = [page for path in served.world.paths if (page := served.world.page(path)) and page.kind == "product"]
        own = served.url.encode().rstrip(b"/")
        local = [replace(page, html=page.html.replace(b"https://ads.example", own)) for page in pages]
        state.add_pages(PROFILE, load(local))
        for page in state.pages(PROFILE)[: len(PAGES)]:
            state._pages.pop(page.number)
        eyes = look("/annotate")
        eyes.tab.wait_for_selector(".over .mark")
        assert served.log == []
        eyes.tab.click("label:has(#consent)")
        picture = eyes.tab.frame_locator("iframe").locator('img[src^="/picture/"]').nth(1)
        picture.wait_for()
        eyes.tab.wait_for_selector(".strip .pic img")
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 640
        assert {request.target.partition("?")[0] for request in served.log} >= {"/assets/site.css", "/assets/logo.svg"}
        eyes.tab.keyboard.press("a")
        eyes.tab.keyboard.press("n")
        expect_text(eyes, "#place", "Page 2 of 6")
        eyes.tab.wait_for_selector('.over .mark[aria-pressed="true"]')
        eyes.shoot("annotate-pictures", full=False)


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        ([], "First, some pages"),
        ([LoadedPage("a.html", b"<img src=a.png>")], "These saved pages have no address"),
    ],
)
def test_what_is_missing_is_said_with_what_to_do(tmp_path: Path, pages: list[LoadedPage], words: str) -> None:
    with serve_in_thread(make_state(tmp_path, pages)) as served:
        request = Request(f"{served.url}annotate", headers={"Authorization": f"Bearer {served.auth.token}"})
        with urlopen(request, timeout=20) as answer:
            assert words in answer.read().decode()


# -- by programs -------------------------------------------------------------------------------------------------------


def confirm(state: State, pages: int = 2) -> list[int]:
    """Confirm the first pages by what belongs to them; return their numbers."""
    by_url = {page.url: page for page in PAGES}
    opened_pages = see_session(state).pages[:pages]
    for opened in opened_pages:
        assert opened.url is not None
        rows = tuple(gold_rows(by_url[opened.url]))
        mark_images(state, page=opened.page, relevant=rows, by="Ann")
    return [opened.page for opened in opened_pages]


def test_guesses_of_the_shared_model_mark_nothing_but_those_of_the_site_do(state: State) -> None:
    first, second = (opened.page for opened in see_session(state).pages[:2])
    before = open_annotated_page(state, page=first)
    assert any(image.is_suggested for image in before.images)
    assert not any(image.is_relevant for image in before.images)
    confirm(state, 1)
    after = open_annotated_page(state, page=second)
    assert after.is_taught
    assert [image.is_relevant for image in after.images] == [image.is_suggested for image in after.images]


def test_predictions_of_the_next_page_are_there_at_once(state: State) -> None:
    confirm(state, 5)
    opened = see_session(state).pages[5]

    def mark_and_open() -> None:
        mark_images(state, page=see_session(state).pages[4].page, relevant=(0,))
        open_annotated_page(state, page=opened.page)

    assert count_calls(mark_and_open) < 200_000


def test_a_broken_draft_is_named_and_left_alone(state: State, tmp_path: Path) -> None:
    draft = tmp_path / "site.marks.jsonl"
    draft.write_text("not JSON")
    with pytest.raises(BadInput, match="jsonl:1: not JSON"):
        see_session(state)
    assert draft.read_text() == "not JSON"


def test_a_place_that_takes_no_draft_is_named_and_annotating_goes_on(tmp_path: Path) -> None:
    state = make_state(tmp_path / "nowhere", load(PAGES[:6]))
    confirm(state, 1)
    session = see_session(state)
    assert session.confirmed == 1
    assert "marks cannot be kept in" in session.note
    assert wait(state, save_marks(state)).state == "failed"
    assert see_session(state).is_unsaved


def test_images_that_share_an_address_are_told_apart_in_the_draft(tmp_path: Path) -> None:
    twice = LoadedPage(
        "twice.html", b"<p>One <img src=/a.png> two <img src=/a.png alt=b></p>", "https://twice.example/"
    )
    state = make_state(tmp_path, [twice])
    mark_images(state, page=1, relevant=(1,))
    assert '"image": "#2"' in (tmp_path / "site.marks.jsonl").read_text()
    later = make_state(tmp_path, [twice])
    assert [image.is_relevant for image in open_annotated_page(later, page=1).images] == [
        False,
        True,
    ]


def test_without_a_file_marks_cannot_be_saved_and_that_is_said(tmp_path: Path) -> None:
    state = State(StateOptions(), load(PAGES[:6]))
    confirm(state, 1)
    with pytest.raises(NotNow, match="start again with --archive FILE or --profile FILE"):
        save_marks(state)
    assert show_annotate(state)["file"] == ""


def test_a_site_of_an_archive_is_annotated_like_any_other(tmp_path: Path) -> None:
    state = make_state(tmp_path, [], archive=str(tmp_path / "archive.db"))
    with state.archive() as archive:
        add_site(archive, "demo.scythe.example", "https://demo.scythe.example/")
    state.add_pages("demo.scythe.example", load(PAGES[:8]))
    key = "demo.scythe.example"
    opened = see_session(state, site=key).pages[0]
    mark_images(state, site=key, page=opened.page, relevant=(1,))
    ended = wait(state, save_marks(state, site=key))
    assert ended.state == "done", ended.error
    site = state.load_site(key)
    assert site is not None
    assert len(site.profile.images.labelled) == 1


def test_undo_goes_back_over_pages_and_redo_forward_again(state: State) -> None:
    one, two = confirm(state)
    assert undo_marks(state).page == two
    stepped = undo_marks(state)
    assert (stepped.page, stepped.session.confirmed, stepped.session.can_undo) == (one, 0, False)
    assert undo_marks(state).page is None
    assert redo_marks(state).page == one
    mark_images(state, page=one, relevant=())
    assert not redo_marks(state).session.can_redo


def test_confirmed_pages_wait_beside_the_profile_for_the_next_start(state: State, tmp_path: Path) -> None:
    pages = confirm(state, 3)
    mark_images(state, page=pages[2], relevant=())
    draft = tmp_path / "site.marks.jsonl"
    assert {json.loads(line)["by"] for line in draft.read_text().splitlines()} == {"Ann"}
    later = make_state(tmp_path, load(PAGES))
    session = see_session(later)
    assert (session.confirmed, session.by, len(session.pages)) == (3, "Ann", 6)
    before = [open_annotated_page(state, page=page) for page in pages]
    after = {opened.page: open_annotated_page(later, page=opened.page) for opened in session.pages[:3]}
    assert [[i.is_relevant for i in one.images] for one in before] == [
        [image.is_relevant for image in after[page].images] for page in pages
    ]


def test_a_draft_of_pages_that_are_not_at_hand_is_kept(tmp_path: Path) -> None:
    state = make_state(tmp_path, load(PAGES[:8]))
    draft = tmp_path / "site.marks.jsonl"
    draft.write_text('{"page": "https://elsewhere.example/", "image": "#1", "relevant": 1, "by": "Bo"}\n')
    assert "marks of 1 more page wait in" in see_session(state).note
    confirm(state, 1)
    wait(state, save_marks(state))
    assert draft.read_text().count("\n") == 1


def test_saving_teaches_the_profile_and_the_next_session_has_other_pages(tmp_path: Path) -> None:
    state = make_state(tmp_path, load(PAGES[:10]))
    pages = confirm(state)
    with state.lock:
        job = save_marks(state, by="Ann")
        with pytest.raises(NotNow):
            save_marks(state)
    ended = wait(state, job)
    assert ended.state == "done", ended.error
    assert not (tmp_path / "site.marks.jsonl").exists()
    assert not see_session(state).is_unsaved
    labelled = Site.load(tmp_path / "site.json").profile.images.labelled
    assert [each.marks[0].by for each in labelled] == ["Ann", "Ann"]
    fresh = begin_session(state, pages=3)
    assert len(fresh.pages) == 3
    assert not {opened.page for opened in fresh.pages} & set(pages)
    assert fresh.is_taught
    again = begin_session(state, again=True)
    assert {opened.page for opened in again.pages} == set(pages)
    assert again.confirmed == 2
    assert not again.is_unsaved


def test_more_pages_can_be_wanted_without_losing_marks(state: State) -> None:
    pages = confirm(state)
    more = begin_session(state, pages=9)
    assert len(more.pages) == 9
    assert [opened.page for opened in more.pages[:2]] == pages
    assert more.confirmed == 2


def test_quality_is_said_in_plain_words_once_it_is_known(state: State) -> None:
    assert expect_marks(state) is None
    confirm(state, 3)
    quality = expect_marks(state)
    assert quality is not None
    assert quality.words.startswith("Tried on 3 pages, each left out of learning in turn: it finds ")


def test_a_page_without_images_is_an_answer_too(tmp_path: Path) -> None:
    bare = LoadedPage("bare.html", b"<title>Bare</title><p>No image at all.</p>", "https://bare.example/")
    state = make_state(tmp_path, [bare])
    opened = see_session(state).pages[0]
    assert mark_images(state, page=opened.page, relevant=()).confirmed == 1
    ended = wait(state, save_marks(state))
    assert (ended.state, ended.error) == ("failed", "no page with images is confirmed yet")


def test_what_is_not_there_is_refused(state: State) -> None:
    page = see_session(state).pages[0].page
    with pytest.raises(BadInput, match="has 13 images"):
        mark_images(state, page=page, relevant=(13,))
    with pytest.raises(NotThere):
        open_annotated_page(state, page=9_999)
    with pytest.raises(NotThere):
        see_session(state, site="nowhere")
    with pytest.raises(BadInput):
        mark_images(state, page=page, relevant=(), by="a\x00b")


def test_a_page_fetched_again_with_other_images_loses_its_marks(state: State) -> None:
    page = confirm(state, 1)[0]
    at_hand = state.page(page)
    assert at_hand is not None
    state.add_pages("profile", [LoadedPage(at_hand.name, b"<img src=/new.jpg>", at_hand.url)])
    session = see_session(state)
    assert session.confirmed == 0
    assert session.pages[0].images == 1


def test_consent_is_told_and_can_be_taken_back(state: State) -> None:
    assert not see_session(state).has_consent
    give_consent(state, site="profile", is_given=True)
    assert see_session(state).has_consent


def test_pages_that_came_later_are_chosen_from_too_until_something_is_marked(tmp_path: Path) -> None:
    state = make_state(tmp_path, load(PAGES[:2]))
    assert len(see_session(state).pages) == 2
    state.add_pages(PROFILE, load(PAGES[2:5]))
    opened_pages = see_session(state).pages
    assert len(opened_pages) == 5
    confirm(state, 1)
    state.add_pages(PROFILE, load(PAGES[5:7]))
    assert see_session(state).pages[1:] == opened_pages[1:]


def test_the_same_said_twice_is_taken_back_at_once(state: State) -> None:
    page = confirm(state, 1)[0]
    assert mark_images(state, page=page, relevant=()).confirmed == 1
    assert mark_images(state, page=page, relevant=()).confirmed == 1
    undo_marks(state)
    stepped = undo_marks(state)
    assert (stepped.session.confirmed, stepped.session.can_undo) == (0, False)


def test_a_page_fetched_again_with_the_same_images_keeps_its_marks(state: State) -> None:
    page = confirm(state, 1)[0]
    at_hand = state.page(page)
    assert at_hand is not None
    state.add_pages(
        PROFILE, [LoadedPage(at_hand.name, at_hand.body + b"<!-- later -->", at_hand.url, at_hand.content_type)]
    )
    assert see_session(state).confirmed == 1


def test_labels_of_a_page_that_has_other_images_now_are_not_shown_as_its_marks(tmp_path: Path) -> None:
    page = b"<p>One <img src=/a.png> two <img src=/b.png alt=b> and more text of the page.</p>"
    url = "https://a.example/"
    site = Site.learn([(url, page)])
    site.annotate({url: ["#1"]}, [(url, page)])
    for body, confirmed in ((page, 1), (page.replace(b"/b.png", b"/c.png"), 0)):
        state = make_state(tmp_path, [LoadedPage("a.html", body, url)])
        state.save_site(PROFILE, site)
        session = begin_session(state, again=True)
        assert (len(session.pages), session.confirmed) == (1, confirmed)
