"""What the pages of a layout list becomes a rule, where one tag or a few select it on nearly all pages."""

from __future__ import annotations

import pytest
from tests.list_pages import frame, product, shop_page, words
from tests.site.learn.seen import LEAST, learn, see

from scythe.page.source import read_source
from scythe.site.follow.follow_lists import follow_list
from scythe.site.learn.learn_lists import learn_layout_lists
from scythe.site.learn.learn_site import make_lesson_page

SHOP = [shop_page(number) for number in range(3)]


def striped(number: int) -> str:
    return product(number, "item last" if number % 4 == 0 else "item")


def odd_even(number: int) -> str:
    return product(number, "even row" if number % 2 == 0 else "odd row")


def glossary(number: int) -> bytes:
    terms = "".join(f"<dt>{words(i, 2)}</dt>\n<dd>{words(i + 5, 9)}.</dd>\n" for i in range(number, number + 9))
    return frame("Words", f"<dl id='terms'>{terms}</dl>")


def with_sidebar(number: int) -> bytes:
    side = "".join(f"<li><a href='/{i}'>{words(i, 3)}</a></li>" for i in range(3))
    items = "".join(f"<li><a href='/t/{i}'>{words(i, 5)}</a> by someone</li>" for i in range(number, number + 8))
    return frame("Topics", f'<ul id="topics">{items}</ul><ul id="others">{side}</ul>')


def test_records_are_known_by_the_tag_that_they_begin_with() -> None:
    (rules,) = learn(SHOP, "li.item").rules
    assert rules.heads == (b'<li class="item">',)
    assert not rules.holder
    assert (rules.pages, rules.present, rules.fewest, rules.most) == (3, 3, 12, 12)


def test_a_class_that_some_records_have_in_addition_does_not_part_them() -> None:
    (rules,) = learn([shop_page(number, make=striped) for number in range(3)], "li.item").rules
    assert rules.heads == (b'<li class="item',)


def test_two_makes_of_records_have_a_literal_each() -> None:
    advert = '<li class="advert">Buy!</li>'
    pages = [shop_page(number, make=lambda i: odd_even(i) + advert) for number in range(3)]
    (rules,) = learn(pages, "li.row").rules
    assert rules.heads == (b'<li class="even row">', b'<li class="odd row">')


def test_a_tag_that_is_everywhere_needs_the_element_around() -> None:
    pages = [with_sidebar(number) for number in range(3)]
    (rules,) = learn(pages, "#topics > li").rules
    assert rules.holder
    found = follow_list(read_source(with_sidebar(40)), rules)
    assert [node[0].parent.attributes["id"] for node in found.nodes if node[0].parent] == ["topics"] * 8


def test_a_record_of_several_elements_goes_on_to_the_next() -> None:
    (rules,) = learn([glossary(number) for number in range(3)], "dt, dd", size=2).rules
    assert (rules.heads, rules.members) == ((b"<dt>",), (b"<dd>",))
    found = follow_list(read_source(glossary(30)), rules)
    assert [[node.tag for node in nodes if node.tag != "-text"] for nodes in found.nodes] == [["dt", "dd"]] * 9


def test_a_slip_of_reading_is_outvoted() -> None:
    pages = [shop_page(number) for number in range(4)]
    (rules,) = learn(pages, ["li.item", "li.item", "li.item:not(:first-child)", "li.item"]).rules
    assert len(follow_list(read_source(pages[2]), rules).offsets) == 12


@pytest.mark.parametrize(("missed", "rules"), [(1, 1), (2, 1), (3, 0)])
def test_reading_may_miss_a_region_on_a_fifth_of_the_pages(missed: int, rules: int) -> None:
    pages = [shop_page(number) for number in range(10)]
    learned = learn(pages, [""] * missed + ["li.item"] * (10 - missed))
    assert len(learned.rules) == rules


def test_what_passes_for_a_list_on_few_pages_does_not_keep_others_from_rules() -> None:
    lessons = [make_lesson_page(with_sidebar(number)) for number in range(6)]
    seen = [see(i, lesson, "#topics > li") for i, lesson in enumerate(lessons)]
    # links of no list, so that no tag selects them; reading is sure of them on a third of the pages
    strange = [see(i, one, "a", skip=i, score=0.9 if i < 2 else 0.1) for i, one in enumerate(lessons)]
    learned = learn_layout_lists([lesson.source for lesson in lessons], [*seen, *strange], 0.5)
    assert len(learned.rules) == 1


def test_what_reading_takes_a_little_more_or_less_of_is_one_region() -> None:
    learned = learn([shop_page(number) for number in range(4)], ["li.item", "li.item", "li.item > h2", "li.item"])
    assert [rules.heads for rules in learned.rules] == [(b'<li class="item">',)]


def test_what_stands_between_records_is_noticed_while_learning() -> None:
    apart = [frame("Tools", f'<ul>{product(1)}<li class="ad">Buy!</li>{product(2)}{product(3)}</ul>') for _ in range(3)]
    assert [rules.tight for rules in learn(SHOP, "li.item").rules + learn(apart, "li.item").rules] == [True, False]


def test_few_records_of_a_single_page_are_no_rule() -> None:
    learned = learn([shop_page(0, count=5)], "li.item")
    assert learned.rules == ()
    assert learned.reasons[0] == "list of li.item: on one page only"


def test_many_records_of_a_single_page_are_one() -> None:
    assert len(learn([shop_page(0)], "li.item").rules) == 1


def test_a_layout_of_which_much_follows_no_rule_has_none_at_all() -> None:
    lessons = [make_lesson_page(with_sidebar(number)) for number in range(3)]
    seen = [see(i, lesson, "#topics > li") for i, lesson in enumerate(lessons)]
    seen.append(see(0, lessons[0], "#others > li"))
    seen.append(see(1, lessons[1], "header li"))
    learned = learn_layout_lists([lesson.source for lesson in lessons], seen, LEAST)
    assert learned.rules == ()
    assert learned.reasons[-1] == "24 of 31 records follow a rule: read by the tree"


@pytest.mark.parametrize(("scores", "kept"), [((0.6, 0.2, 0.4), 1), ((0.4, 0.1, 0.1), 0)])
def test_a_region_that_is_just_read_on_some_pages_counts_by_its_mean(scores: tuple[float, ...], kept: int) -> None:
    lessons = [make_lesson_page(page) for page in SHOP]
    seen = [see(i, lessons[i], "li.item", score=score) for i, score in enumerate(scores)]
    assert len(learn_layout_lists([lesson.source for lesson in lessons], seen, LEAST).rules) == kept


def test_lines_of_bare_text_are_left_to_the_tree() -> None:
    lessons = [make_lesson_page(page) for page in SHOP]
    bare = see(0, lessons[0], "li.item")
    object.__setattr__(bare, "tops", ((),) * 12)
    learned = learn_layout_lists([lesson.source for lesson in lessons], [bare], LEAST)
    assert learned.rules == ()
    assert "lines of bare text" in learned.reasons[0]


def test_nothing_seen_is_nothing_learned() -> None:
    assert learn_layout_lists([read_source(SHOP[0])], [], LEAST) == ((), ())


def test_rows_of_a_table_are_told_from_its_head_by_what_they_begin_with() -> None:
    def table(number: int) -> bytes:
        rows = "".join(f"<tr><td>{words(i, 2)}</td><td>{i}</td></tr>" for i in range(number, number + 9))
        return frame("Sizes", f'<table id="sizes"><tr><th>Name</th><th>Size</th></tr>{rows}</table>')

    (rules,) = learn([table(number) for number in range(3)], "tr:has(td)").rules
    assert rules.heads == (b"<tr><td",)
    assert len(follow_list(read_source(table(40)), rules).offsets) == 9


def test_a_tag_that_says_nothing_gives_way_to_the_one_around_it() -> None:
    def cards(number: int) -> bytes:
        items = "".join(
            f'<div class="card"><a href="/{i}" class="link"><h3>{words(i, 3)}</h3><p>{words(i + 2, 9)}.</p></a></div>'
            for i in range(number, number + 9)
        )
        return frame("Cards", f'<section>{items}</section><p><a href="/all">All</a> <a href="/x">Other</a></p>')

    learned = learn([cards(number) for number in range(3)], "a.link")
    assert [rules.heads for rules in learned.rules] == [(b'<div class="card">',)]
    assert [column.name for column in learned.rules[0].columns] == ["title", "text"]
