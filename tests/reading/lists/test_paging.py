"""Pages that go on: next, previous, numbered and loaded pages, and links that only look like them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.model import Paging
from scythe.page import Page
from scythe.reading.lists.page_numbers import compare, read_label
from scythe.reading.lists.paging import read_paging

OWN = "https://example.org/news/"
ROWS = "".join(f"<li><a href='/news/story-of-field-{word}'>A story of the {word} field</a></li>" for word in "abcdefg")


def paging(pager: str, url: str | None = OWN, head: str = "") -> Paging:
    html = f"<html><head>{head}</head><body><ul class=list>{ROWS}</ul>{pager}</body></html>"
    return read_paging(Page.from_text(html, url=url))


@pytest.mark.parametrize(
    "label",
    (
        "Next|Next page »|next >|Older posts|Nächste Seite|Page suivante|Siguiente ›|Próxima página"
        "|Pagina successiva »|Volgende|Nästa sida|Næste|Neste side|Seuraava sivu|Następna strona|Další"
        "|Ďalšia strana|Következő oldal|Pagina următoare|Следваща страница|Следующая страница|Наступна"
        "|Επόμενη σελίδα|Sonraki sayfa|Sljedeća stranica|Naslednja stran|Kitas puslapis|Nākamā lapa"
        "|Järgmine leht|Halaman berikutnya|Trang tiếp|الصفحة التالية|صفحه بعدی|העמוד הבא|अगला पृष्ठ|次のページ"
        "|次の20件|下一页|下一頁|다음 페이지|ถัดไป|→|»|>"
    ).split("|"),
)
def test_next_page_is_found_by_its_words_in_many_languages(label: str) -> None:
    assert paging(f"<p><a href='?page=2'>{label}</a></p>").next == f"{OWN}?page=2"


@pytest.mark.parametrize(
    ("own", "following"),
    [
        ("https://example.org/news/", "https://example.org/news/page/2/"),
        ("https://example.org/news/page/7/", "https://example.org/news/page/8/"),
        ("https://example.org/list?p=3&sort=new", "https://example.org/list?p=4&sort=new"),
        ("https://example.org/list", "https://example.org/list?start=20"),
        ("https://example.org/list?offset=40", "https://example.org/list?offset=60"),
        ("https://example.org/f42-orders.html", "https://example.org/f42-orders-2.html"),
        ("https://example.org/f42-orders-101.html", "https://example.org/f42-orders-102.html"),
        ("https://example.org/comedy/", "https://example.org/comedy/index2.html"),
        ("https://example.org/events", "https://example.org/events/p2"),
        ("https://example.org/blatt/seite-2", "https://example.org/blatt/seite-3"),
    ],
)
def test_address_of_the_next_page_takes_many_shapes(own: str, following: str) -> None:
    assert paging(f"<div class=nav><a href='{following.replace('&', '&amp;')}'>»</a></div>", own).next == following


def test_address_that_counts_by_date_needs_a_word() -> None:
    following = "https://example.org/search?updated-max=2019-05-01T00:00:00"
    assert paging(f"<p><a href='{following}'>Older posts</a></p>", "https://example.org/").next == following


def test_arrow_beside_a_page_number_is_next() -> None:
    assert paging("<p class=pager><a href='/news/page/2/'>Page 2 ›</a></p>").next == f"{OWN}page/2/"


def test_picture_says_by_its_file_name_what_it_is_for() -> None:
    assert paging("<p><a href='?page=2'><img src='/img/btn-next.gif'></a></p>").next == f"{OWN}?page=2"


def test_tables_of_an_article_are_not_pages_of_it() -> None:
    links = " ".join(f"<a href='/articles/12/table/T{n}'>{n}</a>" for n in (2, 3, 4))
    assert paging(f"<p>See tables {links}.</p>", "https://example.org/articles/12").next is None


def test_relation_in_the_head_names_both_neighbours() -> None:
    head = "<link rel=prev href='/news/?page=2'><link rel=next href='/news/?page=4'>"
    found = paging("", f"{OWN}?page=3", head)
    assert (found.previous, found.next) == (f"{OWN}?page=2", f"{OWN}?page=4")


def test_number_after_the_shown_page_is_next_where_no_word_says_so() -> None:
    pager = "<div>Pages: <a href='?page=1'>1</a> <b>2</b> <a href='?page=3'>3</a> … <a href='?page=9'>9</a></div>"
    found = paging(pager, f"{OWN}?page=2")
    assert (found.previous, found.next) == (f"{OWN}?page=1", f"{OWN}?page=3")
    assert [number for number, _ in found.pages] == [1, 2, 3, 9]


def test_shown_page_is_known_by_its_class_when_it_is_a_link_too() -> None:
    links = "".join(
        f"<li><a href='/news/page/{n}/' class='{'active' if n == 4 else ''}'>{n}</a></li>" for n in range(3, 7)
    )
    assert paging(f"<ul class=pagination>{links}</ul>", f"{OWN}page/4/").next == f"{OWN}page/5/"


def test_offsets_count_as_pages() -> None:
    pager = "<p class=pages><b>1</b> <a href='/f26-25.html'>2</a> <a href='/f26-50.html'>3</a></p>"
    assert paging(pager, "https://example.org/f26.html").next == "https://example.org/f26-25.html"


def test_last_page_has_no_next() -> None:
    pager = (
        "<div class=pager><a class=prev href='?page=4'>« Previous</a> <a href='?page=3'>3</a> "
        "<a href='?page=4'>4</a> <span class=current>5</span></div>"
    )
    found = paging(pager, f"{OWN}?page=5")
    assert (found.next, found.previous) == (None, f"{OWN}?page=4")


def test_link_to_the_page_itself_is_not_next() -> None:
    assert paging("<div class=pager><a class=next href='?page=5'>Next</a></div>", f"{OWN}?page=5").next is None


def test_blogs_that_call_the_second_page_previous_are_understood() -> None:
    pager = "<div class=nav-previous><a href='/news/page/2/'>« Previous entries</a></div>"
    assert paging(pager).next == f"{OWN}page/2/"


def test_double_arrow_beside_a_single_one_is_the_last_page() -> None:
    pager = (
        "<div class=pager><b>1</b> <a href='?page=2'>2</a> <a href='?page=3'>3</a> "
        "<a href='?page=2'>›</a> <a href='?page=3'>»</a></div>"
    )
    assert paging(pager).next == f"{OWN}?page=2"


def test_address_that_a_script_goes_to_is_read_from_its_attribute() -> None:
    pager = "<a rel=next href='javascript:;' data-href='/news/?start_index=48'></a>"
    assert paging(f"<ul class=pagination><li>{pager}</li></ul>").next == f"{OWN}?start_index=48"


@pytest.mark.parametrize(
    "button",
    [
        "<button class=load-more data-next-url='/news/?page=2'>Load more</button>",
        "<button hx-get='/news/?page=2'>Mehr anzeigen</button>",
        "<div id=infinite data-next-url='/news/?page=2'></div>",
        "<a class=load-more href='/news/?page=2'>Show more</a>",
    ],
)
def test_button_that_loads_more_tells_what_it_asks_for(button: str) -> None:
    assert paging(button).more == f"{OWN}?page=2"


@pytest.mark.parametrize(
    "other",
    [
        "<nav class=post-navigation><a rel=next href='/news/the-mill'>The mill stood still</a></nav>",
        "<nav class=post-navigation><a rel=next href='/news/the-mill'>Next post</a></nav>",
        "<p><a href='/news/the-mill'>Next article »</a></p>",
        "<div class='carousel'><a class='next' href='/slide'>Next</a></div>",
        "<table class=calendar><tr><td><a href='/2024/06'>Next month »</a></td></tr></table>",
        "<p><a href='/thread-889'>Next thread</a></p>",
        "".join(f"<p><a href='/news/{n}-story'>weiter »</a></p>" for n in range(5)),
        "<p>Show <a href='?limit=10'>10</a> <a href='?limit=20'>20</a> <a href='?limit=50'>50</a></p>",
        "<p><a href='/y/2019'>2019</a> <a href='/y/2020'>2020</a> <a href='/y/2021'>2021</a></p>",
        "<p><a href='/news/comment-page-2/#comments'>Older comments</a></p>",
        "<p><a href='https://other.example/?page=2'>Next</a></p>",
        "<p><a href='#'>Next</a> <a href='javascript:next()'>›</a></p>",
        "<p><a href='?page=all'>View all</a></p>",
    ],
)
def test_what_is_not_a_page_of_the_list_is_not_next(other: str) -> None:
    found = paging(other)
    assert (found.next, found.more, found.pages) == (None, None, ())


def test_pages_of_threads_inside_a_list_are_not_pages_of_the_list() -> None:
    rows = "".join(
        f"<li><a href='/t/{n}'>A thread about field {n}</a> <span class=pages><a href='/t/{n}/page-2'>2</a> "
        f"<a href='/t/{n}/page-3'>3</a></span></li>"
        for n in range(20, 40)
    )
    pager = "<div class=pager><b>1</b> <a href='/forum/page-2'>2</a> <a href='/forum/page-3'>3</a></div>"
    found = paging(f"<ul>{rows}</ul>{pager}", "https://example.org/forum/")
    assert found.next == "https://example.org/forum/page-2"
    assert dict(found.pages)[3] == "https://example.org/forum/page-3"


def test_page_without_an_address_still_gives_absolute_links() -> None:
    found = paging("<div class=pager><a class=next href='https://example.org/?page=2'>Next page</a></div>", None)
    assert found.next == "https://example.org/?page=2"


def test_page_without_links_has_no_paging() -> None:
    assert read_paging(Page.from_text("<p>Nothing here goes on.")) == Paging()


PIECES = st.sampled_from(
    "<a href='?page=2'> |<a href='/a/3'>|</a>|next|›|2|3| |<ul class=pager>|</ul>|<li>|<button data-url='/x?page=4'>|"
    "load more|<a href='http://[:1'>|<a rel=next href='?p=٣'>|<b>|次".split("|")
)


@given(st.lists(PIECES, max_size=40), st.sampled_from([None, OWN, f"{OWN}?page=2", "http://a/²?page=²"]))
@settings(max_examples=150, deadline=None)
def test_any_pager_gives_absolute_addresses_other_than_its_own(pieces: list[str], url: str | None) -> None:
    found = read_paging(Page.from_text("".join(pieces), url=url))
    for address in (found.next, found.previous, found.more):
        assert address is None or (address.startswith("http") and address != url)
    assert list(found.pages) == sorted(found.pages)


@pytest.mark.parametrize(
    "pager",
    [
        "<div class=years>" + "".join(f"<a href='/news/{year}/'>{year}</a> " for year in range(2018, 2026)) + "</div>",
        "<p>Show <a href='/news/?n=10'>10</a> <a href='/news/?n=25'>25</a> <a href='/news/?n=50'>50</a></p>",
        "<p><a href='/news/" + "x" * 5_000 + "?page=2'>2</a> <a href='/news/" + "x" * 5_000 + "?page=3'>3</a></p>",
        "<a href='/news/?page=2'>" + "<b>a</b> <i>word</i> " * 20 + "next</a>",
    ],
    ids=["years", "how many", "endless", "a story"],
)
def test_numbers_that_count_no_pages_are_no_pages(pager: str) -> None:
    assert paging(pager).next is None


def test_a_link_is_known_by_the_name_of_what_holds_it() -> None:
    found = paging("<div class='next-page'><a href='/news/?page=2'>Onwards</a></div>")
    assert found.next == "https://example.org/news/?page=2"


def test_a_link_without_text_is_known_by_its_own_label_before_its_picture() -> None:
    found = paging(
        "<nav class=pager><a href='/news/?page=2' aria-label='Next page'><img src='/up.png' alt='Up'></a></nav>"
    )
    assert found.next == "https://example.org/news/?page=2"


@pytest.mark.parametrize(
    ("own", "other", "step"),
    [
        ("https://example.org/news", "https://else.example/news?page=2", None),
        ("https://example.org/news", "mailto:a@example.org", None),
        ("https://example.org/list/", "https://example.org/list/page/0", None),
        ("https://example.org/list.html", "https://example.org/list-2.html", (None, 2)),
        ("https://example.org/list-3.html", "https://example.org/list.html", (3, None)),
    ],
)
def test_addresses_are_compared_by_their_page_numbers(
    own: str, other: str, step: tuple[int | None, int | None] | None
) -> None:
    found = compare(own, other)
    assert (None if found is None else (found.before, found.after)) == step


@pytest.mark.parametrize(
    ("text", "says"), [("›", "forward"), ("‹", "backward"), ("‹ ›", ""), ("…", ""), ("next " * 100, "")]
)
def test_arrows_say_where_a_link_leads(text: str, says: str) -> None:
    assert read_label(text).says == says
