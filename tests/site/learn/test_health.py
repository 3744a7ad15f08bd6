"""When trouble is noticed, when it is over, and that neither flutters."""

from __future__ import annotations

import json

import pytest

from scythe.errors import BadInput
from scythe.site.drift import Drift, DriftEvent, Health, describe
from scythe.site.rules import ELEMENT, FieldRules, Layout, Rule, Usual, Way

WAY = Way(ELEMENT, (Rule("tag", b"<h1"),))


def layout(name: str = "story", **present: int) -> Layout:
    """Return a layout whose fields were on so many of ten pages."""
    present = present or {"title": 10, "price": 10, "note": 3}
    fields = (FieldRules(field, (WAY,), Usual(pages=10, present=count)) for field, count in present.items())
    return Layout(name, tuple(fields), pages=10)


STORY = layout()
WELL = {"title": "cut: tag+before", "price": "cut: tag+before", "note": "cut: tag"}
MISSING = WELL | {"price": "missing: no anchor on the page"}
BY_TREE = WELL | {"price": "tree: tag+before (attributes differ)"}
STRANGE = WELL | {"price": "missing: implausible: empty"}


def watch(*pages: tuple[dict[str, str] | None, int], health: Health | None = None) -> Health:
    """Observe pages of one kind, `count` times each; None is a page of unknown layout."""
    health = health or Health(10, clock=lambda: "2026-07-01T06:00:00+00:00")
    for hows, count in pages:
        for _ in range(count):
            health.observe(None if hows is None else STORY, hows or {}, f"https://hay.test/{health.pages}")
    return health


def test_a_site_that_is_cut_as_learned_is_healthy() -> None:
    health = watch((WELL, 300))
    assert health.drift.healthy
    assert str(health.drift) == "healthy after 300 pages"


def test_a_field_missing_on_three_pages_in_a_row_is_reported() -> None:
    assert watch((WELL, 10), (MISSING, 2)).drift.healthy
    event = watch((WELL, 10), (MISSING, 3)).drift.events[0]
    assert event == DriftEvent("missing", "story", "price", "2026-07-01T06:00:00+00:00", 13, 3, "https://hay.test/12")


def test_a_redesign_right_after_learning_is_reported() -> None:
    assert [event.what for event in watch((MISSING, 3)).drift.events] == ["missing"]
    assert [event.what for event in watch((None, 3)).drift.events] == ["unknown"]


@pytest.mark.parametrize(
    ("hows", "what"), [(MISSING, "missing"), (STRANGE, "implausible"), (BY_TREE, "tree"), (None, "unknown")]
)
def test_each_kind_of_trouble_has_its_name_and_its_sentence(hows: dict[str, str] | None, what: str) -> None:
    (event,) = watch((WELL, 20), (hows, 5)).drift.events
    assert (event.what, event.pages) == (what, 5)
    assert "5 pages since 2026-07-01" in describe(event)


def test_a_field_that_is_often_absent_may_be_missing() -> None:
    assert watch((WELL, 10), (WELL | {"note": "missing: no anchor on the page"}, 50)).drift.healthy


def test_a_field_that_was_missing_now_and_then_must_be_missing_more_often() -> None:
    some = layout(title=10, price=9, note=3)
    health = Health(10)
    opened = []
    for hows in [*[WELL] * 20, *[MISSING] * 4]:
        health.observe(some, hows)
        opened.append(not health.drift.healthy)
    assert opened == [False] * 23 + [True]


def test_what_was_seen_while_learning_is_no_news() -> None:
    health = watch((BY_TREE, 4), (MISSING, 6))
    health.settle([STORY])
    assert (health.drift.pages, health.drift.events, health.drift.log) == (0, (), ())
    assert watch((BY_TREE, 20), health=health).drift.healthy


def test_a_title_read_cold_counts_as_missing() -> None:
    cold = WELL | {"title": "tree: read cold (no anchor on the page)"}
    assert [event.field for event in watch((WELL, 10), (cold, 3)).drift.events] == ["title"]


def test_a_site_that_was_always_in_doubt_is_no_news() -> None:
    assert watch((BY_TREE, 200)).drift.healthy


def test_trouble_that_grows_worse_is_renamed() -> None:
    events = watch((WELL, 10), (BY_TREE, 4), (MISSING, 4)).drift.events
    assert [event.what for event in events] == ["missing"]


def test_an_event_closes_after_ten_good_pages() -> None:
    health = watch((WELL, 20), (MISSING, 5), (WELL, 9))
    assert not health.drift.healthy
    assert watch((WELL, 1), health=health).drift.healthy
    assert [change.what for change in health.drift.log] == ["opened", "closed"]


@pytest.mark.parametrize("other", [MISSING, BY_TREE, STRANGE, None])
def test_templates_that_alternate_are_one_event(other: dict[str, str] | None) -> None:
    health = watch((WELL, 10))
    for _ in range(400):
        watch((other, 1), (WELL, 1), health=health)
    assert len(health.drift.events) == 1
    assert [change.what for change in health.drift.log] == ["opened"]


def test_a_rare_template_is_no_event() -> None:
    health = watch((WELL, 10))
    for _ in range(60):
        watch((WELL, 6), (MISSING, 1), health=health)
    assert health.drift.healthy


def test_trouble_in_many_layouts_at_once_is_noticed_within_three_pages() -> None:
    health = watch((WELL, 10))
    health.observe(layout("a"), MISSING)
    health.observe(layout("b"), MISSING)
    assert health.drift.healthy
    health.observe(None, {}, "https://hay.test/new")
    assert [(event.what, event.example) for event in health.drift.events] == [("misfit", "https://hay.test/new")]
    assert "pages no longer fit" in str(health.drift)


def test_trouble_that_can_be_named_more_closely_is() -> None:
    health = watch((WELL, 10))
    for one in [layout("a"), layout("b"), *[layout("c")] * 3]:
        health.observe(one, MISSING)
    assert [(event.what, event.layout, event.field) for event in health.drift.events] == [("missing", "c", "price")]


def test_layouts_are_watched_apart() -> None:
    health = watch((WELL, 10))
    other = layout("other")
    for _ in range(3):
        health.observe(other, MISSING)
    for _ in range(30):
        health.observe(STORY, WELL)
    assert [event.layout for event in health.drift.events] == ["other"]


def test_pages_that_do_not_fit_are_told_to_the_caller() -> None:
    health = watch((WELL, 30))
    answers = [health.observe(STORY, hows) for hows in (WELL, MISSING, BY_TREE, WELL)]
    assert answers == [False, True, True, False]
    assert health.observe(None, {})


def test_starting_afresh_closes_the_events_of_a_layout() -> None:
    health = watch((WELL, 10), (MISSING, 5))
    health.start_afresh("story", "learned again")
    assert health.drift.healthy
    assert health.drift.log[-1].note == "learned again"


def test_health_survives_json() -> None:
    health = watch((WELL, 30), (None, 2), (MISSING, 6), (None, 4))
    state = json.loads(json.dumps(health.dump()))
    again = Health.load(state, (STORY,))
    assert again.drift == health.drift
    assert again.dump() == state
    assert again.last_seen("story") == 38


def test_loaded_health_goes_on_as_before() -> None:
    health = watch((WELL, 20), (MISSING, 2))
    again = Health.load(json.loads(json.dumps(health.dump())), (STORY,))
    assert not watch((MISSING, 1), health=again).drift.healthy


def test_layouts_that_are_no_more_are_not_loaded() -> None:
    state = watch((WELL, 20)).dump()
    assert Health.load(state, (layout("new"),)).last_seen("story") == 0


@pytest.mark.parametrize(
    "state",
    [
        {"pages": "many"},
        {"pages": -1},
        {"seen": {"story": "x"}},
        {"site": 5},
        {"site": {"recent": "xyz"}},
        {"site": {"recent": "c" * 99}},
        {"layouts": []},
        {"layouts": {"story": 1}},
        {"layouts": {"story": {"pages": 1.5}}},
        {"layouts": {"story": {"tracks": {"price": {"tree": -1}}}}},
        {"events": {}},
        {"events": [{}]},
        {"events": [{"what": 7}]},
        {"events": [{"what": "x", "layout": "", "field": "", "since": "", "page": 1, "pages": 1}]},
        {"log": [[]]},
        {"log": [{}] * 1_000},
    ],
)
def test_a_damaged_state_is_refused(state: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="health"):
        Health.load(state, (STORY,))


def test_memory_is_bounded() -> None:
    health = Health(clock=lambda: "")
    many = [layout(f"layout-{number}") for number in range(200)]
    for _ in range(4):
        for one in many:
            health.observe(one, MISSING)
    assert len(health.drift.events) == 50
    assert len(health.drift.log) <= 100


def test_drift_is_true_while_something_is_wrong_and_tells_what() -> None:
    assert not Drift(5)
    event = DriftEvent("missing", "layout-1", "price", "2026-01-01T00:00:00+00:00", 3, 3)
    assert Drift(5, (event,))
    assert [each.field for each in Drift(5, (event,))] == ["price"]
