"""What a filled region holds besides texts."""

from __future__ import annotations

from tests.reading.lists.filling import articles, fill

from scythe.page import Page
from scythe.reading.lists.candidates import Candidate
from scythe.reading.lists.fill import fill_list


def test_links_are_absolute_in_page_order_and_each_once():
    html = articles("<a href=b>b</a><a href=/a>a</a><a href=b>again</a><a href='javascript:x()'>x</a>", "<a>none</a>")
    records = fill(html).records
    assert records[0].links == ("https://example.org/list/b", "https://example.org/a")
    assert records[1].links == ()


def test_a_link_around_a_record_is_its_first_and_one_around_all_is_nobodys():
    html = "<a href=/all><ul>" + "".join(f"<a href=/{i}><li><b>x</b> {i}</li></a>" for i in "ab") + "</ul></a>"
    assert [record.links for record in fill(html, "li").records] == [
        ("https://example.org/a",),
        ("https://example.org/b",),
    ]


def test_a_base_element_is_minded():
    page = '<base href="https://cdn.example.org/x/">' + articles("<a href=b>b</a>", "<a href=c>c</a>")
    assert fill(page).records[0].links == ("https://cdn.example.org/x/b",)


def test_images_are_absolute_and_each_once():
    html = articles("<img src=i.png><img src=i.png><img data-src=/lazy.png src=blank.gif>x", "y")
    records = fill(html).records
    assert records[0].images == ("https://example.org/list/i.png", "https://example.org/lazy.png")
    assert records[1].images == ()


def test_html_is_as_on_the_page():
    html = articles('<b class="x">1 &amp; 2</b>', "<i>3</i>")
    assert fill(html).records[0].html == '<article><b class="x">1 &amp; 2</b></article>'


def test_a_record_of_several_elements_has_them_all():
    page = Page.from_text("<dl><dt>a<dd>1<dt>b<dd>2</dl>", url="https://example.org/")
    elements = page.elements
    terms = [row for row, tag in enumerate(elements.tag) if tag == "dt"]
    rows = tuple((row, elements.end[row + 1]) for row in terms)
    leaves = tuple((elements.leaf_start[first], elements.leaf_end[last - 1]) for first, last in rows)
    record_list = fill_list(page, Candidate("test", 0, rows, leaves), 0.75, "definitions")
    assert [record.fields for record in record_list.records] == [("a", "1"), ("b", "2")]
    assert record_list.records[0].html == "<dt>a</dt><dd>1</dd>"
    assert (record_list.kind, record_list.score) == ("definitions", 0.75)


def test_lines_of_bare_text_are_records_with_escaped_text():
    page = Page.from_text("<p>1 &lt; 2<br>2 &lt; 3</p>", url="https://example.org/")
    record_list = fill_list(page, Candidate("test", 0, ((4, 4), (5, 5)), ((0, 1), (1, 2))), 0.5, "list")
    assert [(record.fields, record.html) for record in record_list.records] == [
        (("1 < 2",), "1 &lt; 2"),
        (("2 < 3",), "2 &lt; 3"),
    ]


def test_text_beside_the_elements_of_a_line_is_in_its_html():
    page = Page.from_text("<p>1 &lt; <b>2</b> &amp; 3<br>4</p>", url="https://example.org/")
    mark = page.elements.tag.index("b")
    record_list = fill_list(page, Candidate("test", 0, ((mark, mark + 1), (5, 5)), ((0, 3), (3, 4))), 0.5, "list")
    assert record_list.records[0].html == "1 &lt; <b>2</b> &amp; 3"


def test_a_region_has_the_pattern_of_its_records():
    assert fill(articles("<b>1</b><p>2</p>", "<b>3</b>")).pattern == "article(b,p?)"


def test_records_without_text_are_records_without_fields():
    record_list = fill(articles("<img src=a.png>", "<img src=b.png>"))
    assert record_list.columns == ()
    assert record_list.records[1].images == ("https://example.org/list/b.png",)


def test_no_records_make_an_empty_region():
    record_list = fill_list(Page.from_text("<p>x"), Candidate("test", 0, (), ()), 0.0, "list")
    assert (record_list.records, record_list.columns) == ((), ())


def test_a_placeholder_stands_for_the_image_for_readers_without_scripts():
    lazy = "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='><noscript><img src=/{}.png></noscript>{}"
    records = fill(articles(lazy.format("a", "x"), "<img src=/own.png>", lazy.format("b", "y"))).records
    assert [record.images for record in records] == [
        ("https://example.org/a.png",),
        ("https://example.org/own.png",),
        ("https://example.org/b.png",),
    ]


def test_records_in_a_row_that_show_the_same_image_have_it_each():
    star = "<img src='data:,' data-src=/star.png><noscript><img src=/star.png></noscript>"
    records = fill(articles(f"{star}good", f"{star}better", f"{star}best")).records
    assert [record.images for record in records] == [("https://example.org/star.png",)] * 3
