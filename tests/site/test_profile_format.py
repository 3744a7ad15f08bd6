"""What a profile file may say of single rules: what no extraction could mean is refused, what it lacks is not lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec import inspect

from scythe.errors import BadInput
from scythe.site import describe_rules
from scythe.site import profile_format as forms
from scythe.site.profile import dump_profile
from scythe.site.rules import ATTRIBUTE, FLOW, FieldRules, ImageArea, ImageRules, Layout, Profile, Rule, Way

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
    misplaced = Layout("a", (FieldRules("b", (replace(BODY, rules=(BODY,)),)),))  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=r"cannot be written: .*rules\[0\]: unknown key 'take'; expected one of kind"):
        dump_profile(Profile((misplaced,)))


def test_no_list_text_or_number_of_a_profile_is_without_bounds() -> None:
    kinds: list[Any] = [inspect.type_info(forms.PROFILE)]
    for kind in kinds:
        kinds += [each.type for each in getattr(kind, "fields", ())]
        kinds += [*getattr(kind, "types", ()), *getattr(kind, "item_types", ())]
        kinds += [kind.item_type] if isinstance(kind, inspect.VarTupleType) else []
        assert not isinstance(kind, inspect.StrType | inspect.VarTupleType) or kind.max_length
        assert not isinstance(kind, inspect.IntType | inspect.FloatType) or None not in (kind.ge, kind.le)
        assert not isinstance(kind, inspect.StructType) or kind.forbid_unknown_fields
    records = {kind.cls.__name__ for kind in kinds if isinstance(kind, inspect.StructType)}
    assert records >= {"Rule", "Way", "Usual", "ListRules", "ImageArea", "ImageContext", "ImageMarks", "LabelledPage"}


def test_half_of_a_character_is_refused_wherever_it_stands() -> None:
    with pytest.raises(forms.Wrong, match="half of a surrogate pair"):
        forms.check_plain({"a": ["fine", "\ud800"]}, "profile")


def test_rules_are_told_in_words_for_what_repeats_and_for_pages_without_images() -> None:
    assert describe_rules._describe_votes(IMAGES) == "every match counts"
    assert describe_rules._describe_votes(replace(BODY, rules=(TAG, TAG, TAG), needed=2)) == "2 of 3 rules must agree"
    assert describe_rules._describe_votes(BODY) == "1 rule"
    assert describe_rules._describe_images(ImageRules()) == "Nothing is known of its images: the tree is asked."
    assert "None of the 4 pages" in describe_rules._describe_images(ImageRules(pages=4))
