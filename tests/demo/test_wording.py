from dataclasses import replace

import pytest
from tests.demo.test_report import RESULTS

from scythe.demo.crawl_results import KindRow, Results
from scythe.demo.wording import judge_promises

WATCHED = RESULTS.watched
assert WATCHED is not None
assert RESULTS.redesign is not None
KEPT = replace(
    RESULTS,
    pages=50,
    kinds=RESULTS.kinds[:1],
    watched=replace(WATCHED, lost=0),
)
BROKEN = {
    "every page of the site is found": replace(KEPT, pages=51),
    "F1 of the text is at least 0.9": replace(KEPT, kinds=(KindRow("news", 50, 50, 50, 0.89, (0, 0), (0, 0)),)),
    "a redesign heals by itself": replace(KEPT, redesign=replace(RESULTS.redesign, healed=None, pages=80)),
    "no record is lost": replace(KEPT, watched=replace(WATCHED, lost=1)),
    "no record is reported twice": replace(KEPT, watched=replace(WATCHED, lost=0, doubled=1)),
    "a list is known again in another design": replace(KEPT, watched=replace(WATCHED, lost=0, is_known_again=False)),
}


def test_a_demo_that_went_well_keeps_all_it_promises() -> None:
    assert [promise.says for promise in judge_promises(KEPT) if not promise.is_kept] == []
    assert len(judge_promises(KEPT)) > 6


@pytest.mark.parametrize("says", BROKEN)
def test_what_did_not_hold_is_named(says: str) -> None:
    assert [promise.says for promise in judge_promises(BROKEN[says]) if not promise.is_kept] == [says]


@pytest.mark.parametrize("watched", [replace(WATCHED, lost=0, strange=1), replace(WATCHED, lost=0, visits=())])
def test_a_record_that_never_was_and_a_list_never_visited_count_as_lost(watched: object) -> None:
    results: Results = replace(KEPT, watched=watched)  # type: ignore[arg-type]
    assert [promise.says for promise in judge_promises(results) if not promise.is_kept] == ["no record is lost"]


def test_what_was_not_tried_is_not_promised() -> None:
    little = replace(KEPT, laps=(), redesign=None, watched=None)
    assert [promise.says for promise in judge_promises(little)] == [
        "every page of the site is found",
        "F1 of the text is at least 0.9",
    ]
