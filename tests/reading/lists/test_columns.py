"""How the texts of records become columns."""

from __future__ import annotations

from tests.reading.lists.filling import articles, fields, fill


def test_records_of_one_make_give_one_column_for_each_text():
    html = articles("<h2><a href=/1>One</a></h2><p>First</p>", "<h2><a href=/2>Two</a></h2><p>Second</p>")
    assert fields(html) == [("One", "First"), ("Two", "Second")]


def test_a_missing_field_is_empty_and_shifts_nothing():
    html = articles(
        "<b>Ann</b><i>1 May</i><u>x</u>", "<b>Bob</b><u>y</u>", "<i>3 May</i><u>z</u>", "<b>Cy</b><i>4 May</i><u>w</u>"
    )
    assert fields(html) == [("Ann", "1 May", "x"), ("Bob", "", "y"), ("", "3 May", "z"), ("Cy", "4 May", "w")]


def test_paragraphs_without_classes_are_told_apart_by_what_they_hold():
    html = articles(
        "<p>Copper kettle</p><p>€ 12.50</p><p>2016-03-04</p>",
        "<p>Iron pan</p><p>2016-03-05</p>",
        "<p>€ 8.00</p><p>2016-03-06</p>",
        "<p>Tin box</p><p>€ 3.10</p><p>2016-03-07</p>",
    )
    assert fields(html)[1:3] == [("Iron pan", "", "2016-03-05"), ("", "€ 8.00", "2016-03-06")]


def test_constant_texts_keep_their_column():
    html = articles(
        "<a>Lamp</a><a>Read more</a>", "<a>Read more</a>", "<a>Mill</a><a>Read more</a>", "<a>River</a><a>Read more</a>"
    )
    assert fields(html)[1] == ("", "Read more")


def test_lines_of_bare_text_are_told_apart_too():
    html = articles("Ann<br>12 May 2016<br>€ 3", "12 May 2016<br>€ 4", "Cy<br>13 May 2016<br>€ 5")
    assert fields(html)[1] == ("", "12 May 2016", "€ 4")


def test_an_empty_cell_keeps_the_place_of_the_next():
    rows = "<tr><td>a b<td>7<td><ul><li>x<li>y<li>z</ul>", "<tr><td>c d<td><td><ul><li>u<li>v<li>w</ul>"
    assert fields(f"<table>{''.join(rows)}</table>", "tr")[1] == ("c d", "", "u", "v", "w")


def test_a_field_that_only_some_records_have_stands_where_they_show_it():
    html = articles(
        "<b>a</b><i>c</i>", "<b>a</b><i>c</i>", "<b>a</b><u>new</u><i>c</i>", "<s>first</s><b>a</b><i>c</i>"
    )
    assert fields(html)[2:] == [("", "a", "new", "c"), ("first", "a", "", "c")]


def test_numbers_and_states_in_classes_do_not_split_columns():
    html = articles('<b class="t1 odd">a</b><b class=x>1</b>', '<b class="t2 even">b</b><b class=x>2</b>')
    assert fields(html) == [("a", "1"), ("b", "2")]


def test_variants_of_a_class_that_stand_in_for_each_other_share_columns():
    html = articles(
        "<div class='body pick'><h3>a</h3></div><p>1</p>",
        "<div class=body><h3>b</h3></div><p>2</p>",
        "<div class='body body--big'><h2>c</h2></div><p>3</p>",
    )
    assert fields(html) == [("a", "1"), ("b", "2"), ("c", "3")]


def test_records_of_two_makes_share_columns_where_these_look_alike():
    large = "<div class=top><h2><a href=/1>The harbour at night</a></h2></div><div class=sub>12 May 2016</div>"
    small = "<section><h4><a href=/2>The mill in {}</a></h4><time>1{} May 2016</time></section>"
    found = fields(articles(large, small.format("winter", 3), small.format("summer", 4), small.format("ruins", 5)))
    assert found[:2] == [("The harbour at night", "12 May 2016"), ("The mill in winter", "13 May 2016")]


def test_marked_words_stay_in_running_text():
    long = "The <b>old</b> mill by the <a href=/r>river</a> was closed in winter, when nobody wanted any bread at all."
    html = articles(f"<h3>One</h3><p>{long}</p>", f"<h3>Two</h3><p>{long}</p>")
    assert fields(html)[0] == (
        "One",
        "The old mill by the river was closed in winter, when nobody wanted any bread at all.",
    )


def test_a_closing_link_that_all_records_have_leaves_the_running_text():
    text = "The old mill by the river was closed in winter, when nobody wanted any bread at all, not even {}."
    bodies = (f"<p>{text.format(word)} <a href=/{word}>Read more</a></p>" for word in ("Ann", "Bob", "Cy"))
    assert fields(articles(*bodies)) == [(text.format(word), "Read more") for word in ("Ann", "Bob", "Cy")]


def test_fields_on_one_line_stay_apart():
    html = articles("<p>by <a href=/a>Ann</a> | <b>12 May</b></p>", "<p>by <a href=/b>Bob</a> | <b>13 May</b></p>")
    assert fields(html) == [("by", "Ann", "|", "12 May"), ("by", "Bob", "|", "13 May")]


def test_short_lines_marked_now_here_and_now_there_are_one_field():
    html = (
        "<ul><li>2 cups <a href=/m>milk</a><li>1 <b>large</b> egg, beaten<li>some salt"
        "<li>3 spoons of <i>butter</i>, cold<li><b>fresh</b> herbs of the season</ul>"
    )
    assert fields(html, "li")[:3] == [("2 cups milk",), ("1 large egg, beaten",), ("some salt",)]


def test_more_columns_than_fit_are_joined_in_the_last_without_loss():
    html = articles("".join(f"<p>w{i}</p>" for i in range(500)), "<p>w0</p>")
    record_list = fill(html)
    assert len(record_list.columns) == 64
    assert " ".join(record_list.records[0].fields).split() == [f"w{i}" for i in range(500)]


def test_records_of_too_many_fields_keep_them_in_order():
    kinds = [a + b for a in "abcdefghij" for b in "abcdefghij"]
    html = articles(*("".join(f"<b class={kind}>{word}{kind}</b>" for kind in kinds) for word in ("x", "y")))
    record_list = fill(html)
    assert len(record_list.columns) == 64
    assert record_list.records[1].fields[:2] == ("yaa", "yab")
    assert " ".join(record_list.records[1].fields).split() == [f"y{kind}" for kind in kinds]


def test_an_opening_word_that_all_records_have_leaves_the_running_text():
    text = "the old mill by the river was closed in winter, when nobody wanted any bread at all, not even {}."
    bodies = (f"<p><b>Note:</b> {text.format(word)}</p>" for word in ("Ann", "Bob", "Cy"))
    assert fields(articles(*bodies)) == [("Note:", text.format(word)) for word in ("Ann", "Bob", "Cy")]


def test_siblings_too_many_to_compare_are_numbered():
    kinds = "€ 5|12 May 2016|4/5|17|some words|https://example.org/".split("|")
    html = articles(*("".join(f"<p>{kinds[i // (6**k) % 6]}</p>" for k in range(5)) for i in range(3_000)))
    record_list = fill(html)
    assert sum(bool(text) for text in record_list.records[2_321].fields) == 5


def test_more_kinds_of_fields_than_fit_are_joined_in_the_last():
    html = articles(*("".join(f"<b class={a}{b}>{a}{b}</b>" for b in "abcdefghij") for a in "abcdefghijklmn"))
    record_list = fill(html)
    assert len(record_list.columns) <= 64
    assert sorted(" ".join(record_list.records[3].fields).split()) == [f"d{b}" for b in "abcdefghij"]
