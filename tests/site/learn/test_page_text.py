"""Where values stand on a page."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.page.source import read_source
from scythe.site.follow.follow_fields import element_text, take
from scythe.site.learn.examples import frame
from scythe.site.learn.page_text import ValuePlace, find_places, lay_out, words_of
from scythe.site.rules import ATTRIBUTE, ELEMENT, LEAD, TAIL, Way


def places(html: str, *values: str) -> list[ValuePlace]:
    return find_places(lay_out(read_source(html.encode())), values)


def test_the_innermost_element_comes_before_those_around_it() -> None:
    found = places("<div><p><b>$12</b></p></div>", "$12")
    assert [(place.offset, place.level) for place in found if place.take == ELEMENT] == [(8, 0), (5, 1), (0, 2)]


def test_text_behind_a_label_is_the_tail_of_the_label() -> None:
    assert (0, TAIL) in {(place.offset, place.take) for place in places("<b>Price:</b> $12<br>", "$12")}


def test_text_before_a_tag_is_the_lead_of_its_element() -> None:
    assert (0, LEAD) in {(place.offset, place.take) for place in places("<p>Drama<br>Comedy</p>", "Drama")}


def test_attributes_are_looked_through() -> None:
    found = places('<meta property="p" content="12 May">', "12 May")
    assert [(place.take, place.attribute) for place in found] == [(ATTRIBUTE, "content")]


def test_a_value_may_differ_in_case_and_signs() -> None:
    assert [place.sameness for place in places("<p>ACME, inc.</p>", "Acme Inc")][:1] == [1]


def test_a_value_as_given_comes_first() -> None:
    assert places("<p>acme</p><p>Acme</p>", "Acme")[0].offset == len("<p>acme</p>")


def test_a_part_of_a_text_is_found_with_what_is_around_it() -> None:
    found = [place for place in places("<p>by Ann Lee on Monday</p>", "Ann Lee") if not place.is_whole]
    assert [(place.text[: place.start], place.text[place.end :]) for place in found] == [("by ", " on Monday")]


def test_stars_are_a_value_too() -> None:
    assert places("<p><i>★★★</i></p>", "★★★")


def test_hidden_text_is_no_place() -> None:
    assert places("<p>x</p><script>x = '$12'</script><noscript><p>$12</p></noscript>", "$12") == []


def test_a_value_that_is_everywhere_is_looked_at_a_bounded_number_of_times() -> None:
    assert len(places("<p>R</p>" * 5_000, "R")) <= 40


def test_what_is_around_a_part_is_what_all_pages_share() -> None:
    one = places("<p>Posted by Ann Lee on Monday</p>", "Ann Lee")[0]
    other = places("<p>Sent by Bob on Friday</p>", "Bob")[0]
    assert frame([one, other]) == (" by ", " on ")


def test_texts_that_share_nothing_around_a_part_have_no_frame() -> None:
    one = places("<p>x Ann Lee</p>", "Ann Lee")[0]
    other = places("<p>yBob</p>", "yBob")[0]
    assert frame([one, other]) is None


def test_a_value_of_another_field_is_no_frame() -> None:
    part = places("<p>Anvil by Ann Lee</p>", "Ann Lee")[0]
    assert frame([part], ["Anvil"]) is None


_PIECES = "<p> </p> <b> </b> <td> <br> <!--c--> word x <i\tclass=a> </i> <script>y</script>".split(" ")
_MARKUP = st.lists(st.sampled_from([*_PIECES, " "]), max_size=40).map("".join)


@settings(max_examples=150, deadline=None)
@given(_MARKUP)
def test_ranges_of_the_laid_out_text_are_the_texts_of_elements(html: str) -> None:
    source = read_source(html.encode())
    texts = lay_out(source)
    for row, offset in enumerate(texts.offset):
        opening = source.at(offset)
        assert opening is not None
        assert texts.text[texts.start[row] : texts.end[row]].split() == element_text(opening.node).split()
    for run in texts.runs:
        opening = source.at(run.offset)
        assert opening is not None
        assert take(source, opening, Way(run.take, ())) == " ".join(texts.text[run.start : run.end].split())


def test_words_of_a_text_have_no_case_and_no_signs() -> None:
    assert words_of(" $12,50 (NEW) ") == "12 50 new"
