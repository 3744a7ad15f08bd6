from __future__ import annotations

import http.client
import time
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.sites.replay import DRESSES, ListPage, Outage, Replay, ReplayClock, ReplayHost, ReplayList, ReplayRedesign
from tests.sites.replay_process import dump, load, serve_replay_process, split_trace
from tests.sites.replay_serve import serve_replay

import scythe
from scythe.errors import BadInput

START = 1_660_000_000.0
HOUR = 3_600.0
BASE = "http://127.0.0.1:80"


def arrivals(every_s: float, offset_s: float = 0.0) -> tuple[float, ...]:
    """One story in every so many seconds, ten days before the start and ten after."""
    return tuple(START - 10 * 24 * HOUR + offset_s + every_s * n for n in range(int(20 * 24 * HOUR / every_s)))


def make_replay(**changes: object) -> Replay:
    shelves = (
        ReplayList("news", "News", arrivals(1_800), 24),
        ReplayList("wire", "From the wire", arrivals(900, 60), 16),
        ReplayList("politik", "Politik", arrivals(2_400, 7), 15, "de"),
    )
    pages = (ListPage("/news/", ("news", "wire")), ListPage("/politik/", ("politik",), has_tag=True, max_age_s=60))
    plain = {"pace": ReplayClock(START, speed=0.0), "shelves": shelves, "pages": pages} | changes
    return Replay(**plain)  # type: ignore[arg-type]


def paths(replay: Replay, name: str, moment: float, page: int = 1) -> list[str]:
    return [story.plan.path for story in replay.newest(replay.shelf(name), moment, page)]


def get(url: str, timeout: float = 10.0, **headers: str) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    client = http.client.HTTPConnection(parts.netloc, timeout=timeout)
    try:
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        client.request("GET", target, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = client.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        client.close()


def test_a_list_shows_the_newest_stories_and_older_pages_the_rest() -> None:
    replay = make_replay()
    first, second = paths(replay, "news", START), paths(replay, "news", START, 2)
    assert len(first) == len(second) == len(set(first + second)) / 2 == 24
    later = paths(replay, "news", START + 2 * HOUR)
    assert later[4:] == first[:-4]
    assert paths(replay, "news", START + 2 * HOUR, 2)[:4] == first[-4:], "the list shifted while it was read"


def test_lists_share_no_story_and_numbers_grow_with_time() -> None:
    replay = make_replay()
    stories = [story for shelf in replay.shelves for story in replay.newest(shelf, START)]
    assert len({story.number for story in stories}) == len({story.plan.path for story in stories}) == 24 + 16 + 15
    ordered = sorted(stories, key=lambda story: story.at)
    assert [story.number for story in ordered] == sorted(story.number for story in ordered)


@pytest.mark.parametrize("dress", range(len(DRESSES)))
@pytest.mark.parametrize("number", [1, 3])
def test_every_list_is_read_whole_in_every_dress(dress: int, number: int) -> None:
    replay = make_replay(redesigns=(ReplayRedesign(0, dress),))
    host = ReplayHost(replay, 0, BASE)
    for page in replay.pages:
        target = page.path if number == 1 else f"{page.path}?page={number}"
        document = scythe.read(host.answer(target, START).body, url=BASE + target)
        found = [[record.links[0].removeprefix(BASE) for record in region.records] for region in document.lists]
        assert all(paths(replay, name, START, number) in found for name in page.shelves)
        assert document.paging.next == f"{BASE}{page.path}?page={number + 1}"


def test_a_redesign_changes_everything_but_the_addresses_of_articles() -> None:
    replay = make_replay(redesigns=(ReplayRedesign(START, 1), ReplayRedesign(START + HOUR, 2)))
    host = ReplayHost(replay, 0, BASE)
    moments = (START - 1, START + 1, START + HOUR)
    regions = [scythe.read(host.answer("/news/", at).body, url=BASE + "/news/").lists[0] for at in moments]
    assert len({region.pattern for region in regions}) == len({region.columns for region in regions}) == 3
    shown = [{link for record in region.records for link in record.links if "/news/" in link} for region in regions]
    assert len({link.partition("#")[0] for link in shown[0] & shown[1] & shown[2]}) >= 20
    assert [len(region.records[0].links) for region in regions] == [1, 6, 2]


def test_articles_are_there_once_they_have_arrived() -> None:
    replay = make_replay()
    host = ReplayHost(replay, 0, BASE)
    story = replay.newest(replay.shelf("politik"), START + HOUR)[0]
    assert host.answer(story.plan.path, START).status == 404
    document = scythe.read(host.answer(story.plan.path, START + HOUR).body, url=BASE + story.plan.path)
    assert document.title == story.plan.title
    assert story.plan.teaser in document.text
    assert host.answer(f"/news/{story.number}-other", START + HOUR).status == 404
    assert host.answer("/news/?page=9999", START).status == 404


def test_a_page_with_a_tag_is_not_sent_again_before_something_arrives() -> None:
    moments = [START + 30]
    with serve_replay(make_replay(redesigns=(ReplayRedesign(0, 2),)), lambda: moments[-1]) as server:
        url = server.url("/politik/")
        _, headers, _ = get(url)
        assert headers["cache-control"] == "public, max-age=60"
        moments.append(START + 60)
        assert get(url, If_None_Match=headers["etag"])[0] == 304
        moments.append(START + HOUR)
        assert get(url, If_None_Match=headers["etag"])[0] == 200
        first, second = (get(server.url("/news/"))[2] for _ in range(2))
        assert first != second, "without a tag adverts are others each time"
    assert [asked.status for asked in server.asked] == [200, 304, 200, 200, 200]
    assert [asked.at for asked in server.asked][:3] == [START + 30, START + 60, START + HOUR]


def test_a_feed_has_what_its_list_has() -> None:
    replay = make_replay()
    body = ReplayHost(replay, 0, BASE).answer("/politik/feed.xml", START).body.decode()
    links = [piece.partition("</link>")[0].removeprefix(BASE) for piece in body.split("<link>")[2:]]
    assert links == paths(replay, "politik", START)


def test_a_host_fails_as_long_as_it_is_said_to() -> None:
    outages = (
        Outage(START + 100, START + 200, "503"),
        Outage(START + 200, START + 300, "hang"),
        Outage(START + 300, START + 400, "refused"),
    )
    pages = (ListPage("/news/", ("news",)), ListPage("/politik/", ("politik",), host=1))
    moments = [START]
    replay = make_replay(pages=pages, outages=outages, pace=ReplayClock(START, speed=1e6))
    with serve_replay(replay, lambda: moments[-1]) as server:
        url, other = server.url("/news/"), server.url("/politik/")
        assert get(url)[0] == 200
        moments.append(START + 150)
        assert get(url)[0] == 503
        moments.append(START + 250)
        with pytest.raises(TimeoutError):
            get(url, timeout=0.2)
        moments.append(START + 350)
        _await_refusal(url)
        assert get(other)[0] == 200
        moments.append(START + 450)
        _await_answer(url)
    assert {asked.status for asked in server.asked if asked.host == 0} == {200, 503, 0}


def _await_refusal(url: str) -> None:
    for _ in range(500):
        try:
            get(url, timeout=0.1)
        except ConnectionRefusedError:
            return
        except OSError:
            pass
        time.sleep(0.01)
    pytest.fail("the server goes on to answer")


def _await_answer(url: str) -> None:
    for _ in range(500):
        try:
            if get(url)[0] == 200:
                return
        except ConnectionRefusedError:
            time.sleep(0.01)
    pytest.fail("the server does not come back")


def test_a_process_of_its_own_keeps_pace_and_a_ledger(tmp_path: Path) -> None:
    replay = make_replay(pace=ReplayClock(START, speed=3_600.0)).started(time.time())
    with serve_replay_process(replay, tmp_path) as server:
        before = replay.pace.now()
        status, _, body = get(server.url("/news/"), User_Agent="tester/1")
        after = replay.pace.now()
        (asked,) = server.asked
    assert (status, asked.target, asked.agent, asked.host) == (200, "/news/", "tester/1", 0)
    assert before - 1 <= asked.at <= after + 1
    newest = {paths(replay, "news", moment)[0].encode() for moment in (before, asked.at, after)}
    assert any(path in body for path in newest)
    arrived = server.stories("/news/", START, START + 2 * HOUR)
    assert len(arrived) == 4 + 8
    assert all(START < at <= START + 2 * HOUR for at in arrived.values())


def test_a_replay_is_the_same_after_it_was_written_down(tmp_path: Path) -> None:
    replay = make_replay(redesigns=(ReplayRedesign(START, 1),), outages=(Outage(START, START + 1),))
    dump(replay, tmp_path / "replay.json")
    assert load(tmp_path / "replay.json") == replay


def test_a_trace_is_dealt_out_whole() -> None:
    trace = arrivals(600)
    dealt = split_trace(trace, 3)
    assert sorted(moment for part in dealt for moment in part) == list(trace)
    assert all(len(part) > len(trace) / 4 for part in dealt)


def test_what_cannot_be_shown_is_refused() -> None:
    with pytest.raises(BadInput, match="unknown"):
        make_replay(pages=(ListPage("/", ("unknown",)),))
    with pytest.raises(BadInput, match="lightning"):
        replace(make_replay(), outages=(Outage(0, 1, "lightning"),))
