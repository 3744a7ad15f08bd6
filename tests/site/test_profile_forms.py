"""What a profile file may say of single rules: what no extraction could mean is refused, what it lacks is not lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scythe.site import describe_rules
from scythe.site import profile_format as forms
from scythe.site import profile_format as values
from scythe.site.rules import ATTRIBUTE, FLOW, ImageArea, ImageRules, Rule, Way

TAG = Rule("tag", b'<h1 class="headline', position=4_000)
IMAGES = Way(ATTRIBUTE, (Rule("tag", b'<img class="photo"'),), needed=1, attribute="src", repeats=True)
BODY = Way(FLOW, (Rule("tag", b"<article"),))


def test_a_way_that_repeats_or_leads_to_images_is_refused_where_no_tag_can_be_counted() -> None:
    word = replace(IMAGES, rules=(Rule("tag", b"photo"),))
    assert "needs the beginning of an opening tag" in forms._way_why(word)
    assert forms._way_why(IMAGES) == ""
    area = ImageArea((replace(BODY, repeats=True),), pages=3, present=3)
    assert "leads to one element" in forms._area_why(area)
    assert forms._area_why(ImageArea((BODY,), pages=3, present=4)) == "present on more pages than there were"


def test_what_the_format_of_files_lacks_is_not_lost_in_silence() -> None:
    with pytest.raises(TypeError, match="Rule was expected, not Way"):
        forms.RULE.dump(BODY)
    short = replace(forms.RULE, forms={"kind": forms.RULE.forms["kind"]})
    with pytest.raises(TypeError, match="Rule has fields that the file format lacks"):
        short.dump(TAG)


def test_half_of_a_character_is_refused_wherever_it_stands() -> None:
    with pytest.raises(values.Wrong, match="half of a surrogate pair"):
        values.check_plain({"a": ["fine", "\ud800"]}, "profile")


def test_rules_are_told_in_words_for_what_repeats_and_for_pages_without_images() -> None:
    assert describe_rules._describe_votes(IMAGES) == "every match counts"
    assert describe_rules._describe_votes(replace(BODY, rules=(TAG, TAG, TAG), needed=2)) == "2 of 3 rules must agree"
    assert describe_rules._describe_votes(BODY) == "1 rule"
    assert describe_rules._describe_images(ImageRules()) == "Nothing is known of its images: the tree is asked."
    assert "None of the 4 pages" in describe_rules._describe_images(ImageRules(pages=4))
