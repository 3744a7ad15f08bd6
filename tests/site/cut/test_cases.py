"""Pages on which a small defect of the cutter shows: each is cut as was accepted, and as the tree has it.

They were found by comparing two implementations while one of them had a defect. `result` is written by
`pytest --accept`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.property.soup import layout_of

from scythe.extension import native
from scythe.page.source import read_source
from scythe.site.cut.cutter import plan_fields
from scythe.site.follow.follow_fields import follow
from scythe.site.rules import Rule, Way

FILE = Path(__file__).with_name("cases.json")
CASES: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
pytestmark = pytest.mark.skipif(native is None, reason="the compiled extension is not built")


def way_of(case: dict[str, Any]) -> Way:
    rules = []
    for kind, anchor, skip, step, nth, reach, position in case["rules"]:
        known = {"skip": skip, "step": step.encode("latin-1"), "nth": nth, "reach": reach, "position": position}
        rules.append(Rule(kind, anchor.encode("latin-1"), **known))
    words = (case["attribute"], case["before"], case["after"], case["repeats"])
    return Way(case["take"], tuple(rules), case["needed"], *words)


def cut(case: dict[str, Any]) -> list[Any]:
    assert native is not None
    plan = native.make_plan(plan_fields(layout_of(way_of(case))), case["utf8"])
    found = native.cut_field(plan, case["page"].encode("latin-1"), 0, case["thorough"])
    return json.loads(json.dumps([*found, native.second_searches(plan)]))  # type: ignore[no-any-return]


def test_every_case_is_cut_as_accepted(accept: bool) -> None:
    if accept:
        rows = (json.dumps({**case, "result": cut(case)}) for case in CASES)
        FILE.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")
    known = json.loads(FILE.read_text(encoding="utf-8"))
    assert [case for case in known if cut(case) != case["result"]] == []


def test_no_accepted_cut_is_another_than_the_tree_has() -> None:
    wrong = []
    for case in CASES:
        if case["thorough"] and case["utf8"] and case["result"][0] in ("cut", "absent"):
            truth = follow(read_source(case["page"].encode("latin-1")), way_of(case), loosely=False).values
            wrong += [case] if case["result"][1] != list(truth) else []
    assert wrong == []
