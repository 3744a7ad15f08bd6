"""Reading and extracting by the JSON interface."""

import json
import re
from functools import cache
from pathlib import Path

import pytest
from tests.fetch.server import always, serve
from tests.fetch.server import page as answer
from tests.web.asking import call
from tests.web.conftest import demo_pages, make_state

from scythe import Site, read
from scythe.archive.stored_sites import add_site, save_profile
from scythe.errors import BadInput, FetchFailed
from scythe.fetch.fetch_options import FetchOptions
from scythe.web.documents.documents import (
    ExtractWanted,
    ListsWanted,
    PageWanted,
    ReadWanted,
    extract_page,
    load_page,
    read_page,
    read_page_lists,
    suggest_for_annotation,
)
from scythe.web.learned_sites import LearnedSites
from scythe.web.server import Serving
from scythe.web.state import NotNow, NotThere, State, StateOptions

STORY = 3  # the number of a page at hand


@cache
def learned() -> str:
    """Return the profile of the demo site."""
    return Site.learn([(page.url, page.body) for page in demo_pages()[:12]]).to_json()


def learn(state: State) -> Site:
    site = Site.from_json(learned())
    state.save_site("profile", site)
    return site


def test_what_is_read_is_what_the_library_reads(serving: Serving, state: State) -> None:
    page = state.page(STORY)
    assert page is not None
    expected = json.loads(json.dumps(read(page.body, page.url).to_dict()))
    said = call(serving, "/api/read", {"page": STORY, "parts": ["all"]}).value
    assert said == expected
    assert said["text"]


def test_only_the_parts_asked_for_are_there(state: State) -> None:
    said = ask_parts(state, ("markdown",))
    assert said == {"url", "why", "losses", "markdown"}


def ask_parts(state: State, parts: tuple[str, ...]) -> set[str]:
    import msgspec

    wanted = msgspec.convert({"page": STORY, "parts": list(parts)}, ReadWanted)
    return set(msgspec.to_builtins(read_page(state, wanted)))


def test_html_can_be_sent_and_nothing_is_fetched(serving: Serving) -> None:
    html = "<title>A</title><h1>Über uns</h1><p>" + "Ein Satz mit Wörtern steht hier. " * 20
    said = call(serving, "/api/read", {"html": html, "url": "https://example.org/a"}).value
    assert "Wörtern" in said["text"]
    assert said["url"] == "https://example.org/a"


def test_a_learned_site_cuts_fields_with_spans(state: State) -> None:
    site = learn(state)
    page = state.page(STORY)
    assert page is not None
    said = extract_page(state, ExtractWanted(page=STORY))
    assert isinstance(said.fields, dict)
    assert said.fields["title"] == site.extract(page.body, page.url).fields["title"]
    span = said.fields["title"].span
    assert span is not None
    assert said.fields["title"].values[0].encode() in page.body[slice(*span)]


def test_a_learned_site_is_loaded_once_until_it_changes(state: State) -> None:
    learn(state)
    sites = state.part(LearnedSites)
    first = sites.find("profile")
    assert sites.find(None) is first
    learn(state)
    assert sites.find("profile") is not first


def test_a_site_of_the_archive_is_found_by_its_key(state: State) -> None:
    with state.archive() as archive:
        number = add_site(archive, "field.example", "https://field.example/")
        save_profile(archive, number, learned())
    said = extract_page(state, ExtractWanted(page=STORY, site="field.example", via="cut"))
    assert isinstance(said.fields, dict)
    assert said.fields["title"].how.startswith("cut")


def test_extracting_says_what_is_missing(state: State) -> None:
    with pytest.raises(NotNow, match="no site was learned"):
        extract_page(state, ExtractWanted(page=STORY))
    with pytest.raises(NotNow, match="nothing was learned of"):
        extract_page(state, ExtractWanted(page=STORY, site="profile"))
    with pytest.raises(NotThere, match="there is no site"):
        extract_page(state, ExtractWanted(page=STORY, site="elsewhere"))


def test_lists_of_a_page_come_with_their_columns(state: State) -> None:
    lists = read_page_lists(state, ListsWanted(page=1))
    assert lists[0].columns
    assert len(read_page_lists(state, ListsWanted(page=1, everything=True))) > len(lists)


def test_pages_at_hand_are_suggested_by_number(state: State) -> None:
    found = suggest_for_annotation(state, count=3)
    assert len({one.page for one in found}) == 3
    assert all(one.by == "cover" for one in found)


def test_addresses_are_suggested_without_fetching(state: State) -> None:
    urls = tuple(f"https://example.org/story-{number}.html" for number in range(9))
    found = suggest_for_annotation(state, urls=urls, count=2)
    assert [one.by for one in found] == ["clusters", "clusters"]
    with pytest.raises(NotThere, match="no pages at hand"):
        suggest_for_annotation(state, site="elsewhere")


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "/etc/passwd", "ftp://example.org/", "javascript:alert(1)", "", "http://", "\0http://a"],
)
def test_only_web_addresses_are_fetched(state: State, url: str) -> None:
    with pytest.raises(BadInput, match="not an http or https address"):
        load_page(state, PageWanted(url=url))


def test_a_page_is_named_in_one_way(state: State) -> None:
    with pytest.raises(BadInput, match="name a page"):
        load_page(state, PageWanted())
    with pytest.raises(BadInput, match="not both"):
        load_page(state, PageWanted(page=1, html="<p>"))
    with pytest.raises(NotThere, match="no page 999"):
        load_page(state, PageWanted(page=999))


def test_private_addresses_are_fetched_only_where_the_server_allows(tmp_path: Path, serving: Serving) -> None:
    closed = State(StateOptions(profile=tmp_path / "p.json", reach=FetchOptions(allow_private=False)), demo_pages(3))
    with pytest.raises(FetchFailed, match=r"private|not public|loopback"):
        load_page(closed, PageWanted(url=serving.url))
    opened = make_state(tmp_path, [])
    with pytest.raises(FetchFailed, match="401"):  # it was asked, and wants a token
        load_page(opened, PageWanted(url=serving.url))


def test_a_page_is_fetched_by_its_address(state: State) -> None:
    body = "<title>Fetched</title><p>A page that came over the network, in the encoding its server names: Köln.</p>"
    with serve(always(answer(body.encode("latin-1"), "Content-Type: text/html; charset=latin-1"))) as server:
        said = read_page(state, ReadWanted(url=server.url("/page")))
        given = load_page(state, PageWanted(url=server.url("/page")))
    assert said.url == given.url == server.url("/page")
    assert "Köln" in (said.text or "")


def test_a_failed_fetch_is_not_our_error(serving: Serving) -> None:
    said = call(serving, "/api/read", {"url": serving.url})
    assert said.status == 502
    assert re.search("401", said.value["error"])


def test_methods_nobody_has_are_named(serving: Serving) -> None:
    said = call(serving, "/api/read", {"page": STORY, "method": "magic"})
    assert said.status == 422
    assert "magic" in said.value["error"]
