"""Rules followed on the tree: where they lead and what is taken there."""

from __future__ import annotations

import pytest

from scythe.page.source import read_source
from scythe.site.follow.follow_fields import FollowedWay, follow, span_of
from scythe.site.rules import ATTRIBUTE, ELEMENT, LEAD, TAIL, Rule, Way

BODY = b"""<html><body><!-- <h1 class="t">old</h1> --><h1 class="t">New <i>title</i></h1>
<table id="facts"><tr><th>Price:</th><td>$12</td></tr><tr><th>Size:</th><td>9 &amp; up</td></tr></table>
<p><b>Maker:</b> Acme <img src="a.png" alt="A picture"></p></body></html>"""

TAG = Rule("tag", b'<h1 class="t"')
INSIDE = Rule("inside", b'<table id="facts"', step=b"<td", nth=2, reach=500)
LABEL = Rule("label", b"Size:", step=b"<td", nth=1, reach=100)
BEFORE = Rule("before", b"Size:</th><td", skip=len(b"Size:</th>"))


def found(way: Way, body: bytes = BODY) -> FollowedWay:
    return follow(read_source(body), way)


def test_a_rule_passes_over_what_stands_in_a_comment() -> None:
    assert found(Way(ELEMENT, (TAG,), needed=1)).values == ("New title",)


@pytest.mark.parametrize("rule", [INSIDE, LABEL, BEFORE], ids=lambda rule: rule.kind)
def test_every_kind_of_rule_leads_to_its_element(rule: Rule) -> None:
    assert found(Way(ELEMENT, (rule,), needed=1)).values == ("9 & up",)


def test_a_rule_may_count_backwards_from_its_anchor() -> None:
    ahead = Rule("ahead", b"<p><b>Maker", step=b"<td", nth=-1, reach=200)
    label = Rule("ahead", b"Maker:", step=b"<td", nth=-1, reach=200)
    assert found(Way(ELEMENT, (label,), needed=1)).values == ("9 & up",)
    assert found(Way(ELEMENT, (ahead,), needed=1)).values == ("9 & up",)


def test_two_rules_must_agree() -> None:
    assert found(Way(ELEMENT, (INSIDE, LABEL))).why == "inside+label"
    wrong = Rule("inside", b'<table id="facts"', step=b"<td", nth=1, reach=500)
    assert found(Way(ELEMENT, (wrong, LABEL))).values == ()
    assert found(Way(ELEMENT, (wrong, LABEL, BEFORE))).values == ("9 & up",)
    assert found(Way(ELEMENT, (LABEL,))).why == "only one rule speaks"


def test_a_target_out_of_reach_is_none() -> None:
    near = Rule("label", b"Price:", step=b"<td", nth=2, reach=20)
    assert found(Way(ELEMENT, (near,), needed=1)).values == ()


def test_text_before_and_behind_an_element_and_attributes_can_be_taken() -> None:
    bold = Rule("tag", b"<b")
    image = Rule("tag", b'<img src="')
    assert found(Way(LEAD, (TAG,), needed=1)).values == ("New",)
    assert found(Way(TAIL, (bold,), needed=1)).values == ("Acme",)
    assert found(Way(ATTRIBUTE, (image,), needed=1, attribute="alt")).values == ("A picture",)
    assert found(Way(ATTRIBUTE, (image,), needed=1, attribute="title")).values == ()


def test_a_part_of_a_text_can_be_taken() -> None:
    assert found(Way(ELEMENT, (LABEL,), needed=1, after=" &")).values == ("9",)
    assert found(Way(ELEMENT, (LABEL,), needed=1, before="& ")).values == ("up",)
    assert found(Way(ELEMENT, (LABEL,), needed=1, before="no such")).values == ()


def test_a_repeating_way_takes_every_match() -> None:
    assert found(Way(ELEMENT, (Rule("tag", b"<td"),), repeats=True)).values == ("$12", "9 & up")


def test_other_quotes_and_order_of_attributes_are_understood_by_the_tree() -> None:
    body = b"<body><h1 id=x class='t'>Title</h1>"
    assert found(Way(ELEMENT, (TAG,), needed=1), body).values == ("Title",)


def test_the_span_covers_the_element_and_nothing_else() -> None:
    source = read_source(BODY)
    way = Way(ELEMENT, (INSIDE,), needed=1)
    opening = follow(source, way).openings[0]
    assert BODY[slice(*span_of(source, opening, way))] == b"<td>9 &amp; up</td>"
    assert BODY[slice(*span_of(source, opening, Way(LEAD, ())))] == b"9 &amp; up"


def test_the_search_starts_at_the_hint_and_falls_back_to_the_start() -> None:
    late = Rule("label", b"Size:", step=b"<td", nth=1, reach=100, position=len(BODY) - 5)
    assert found(Way(ELEMENT, (late,), needed=1)).values == ("9 & up",)


def test_rules_that_count_from_the_front_do_not_vouch_for_each_other() -> None:
    other = Rule("after", b"<h1", step=b"<td", nth=2, reach=500)
    silent = Rule("tag", b"<td class='gone'")
    assert found(Way(ELEMENT, (silent, INSIDE, other))).values == ()
    assert found(Way(ELEMENT, (silent, INSIDE, other, LABEL))).values == ("9 & up",)
    assert found(Way(ELEMENT, (INSIDE, other))).values == ("9 & up",)  # the first rule is the way's own choice
