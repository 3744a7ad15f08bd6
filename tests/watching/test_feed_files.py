import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

import feedparser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.archive.visiting import NOW, SITE, later
from tests.watching.listing import record

from scythe.archive.results import StoredRecord
from scythe.errors import BadInput
from scythe.url import Url
from scythe.watching.feed_files import feed_format, write_feed

FORMATS = ("rss", "atom", "json")
ATOM = "{http://www.w3.org/2005/Atom}"
HOME = f"{SITE}news"
HOSTILE = "a\x00b\x1b[31m ]]> &amp; <script>alert(1)</script> <![CDATA[ \ud800 \ufffe é漢😀 \u2028 \" '"


def write(folder: Path, kind: str, records: list[StoredRecord], **more: object) -> Path:
    path = folder / f"new.{kind}"
    write_feed(path, records, title="New on site.example", home=HOME, now=NOW, **more)  # type: ignore[arg-type]
    return path


def read(path: Path) -> list[dict[str, str]]:
    """Return id, link, title and text of the entries, as a reader understands them."""
    if path.suffix == ".json":
        items = json.loads(path.read_text())["items"]
        return [{"id": i["id"], "link": i["url"], "title": i["title"], "text": i["content_text"]} for i in items]
    parsed = feedparser.parse(path.read_bytes())
    assert not parsed.bozo
    return [{"id": e.id, "link": e.link, "title": e.title, "text": e.get("summary", "")} for e in parsed.entries]


@pytest.mark.parametrize("kind", FORMATS)
def test_readers_see_the_records_newest_first(tmp_path: Path, kind: str) -> None:
    ones = [record(n, fields={"title": f"Rain {n}", "author": "Ann", "price": "3 €"}) for n in (3, 2, 1)]
    entries = read(write(tmp_path, kind, ones))
    assert [entry["title"] for entry in entries] == ["Rain 3", "Rain 2", "Rain 1"]
    assert [entry["link"] for entry in entries] == [f"{SITE}story/{n}" for n in (3, 2, 1)]
    assert all("author: Ann" in entry["text"] and "price: 3 €" in entry["text"] for entry in entries)
    assert len({entry["id"] for entry in entries}) == 3


@pytest.mark.parametrize("kind", FORMATS)
def test_a_record_keeps_its_id_when_it_changes_and_moves_down(tmp_path: Path, kind: str) -> None:
    before = read(write(tmp_path, kind, [record(1)]))
    after = read(write(tmp_path, kind, [record(2), record(1, fields={"title": "Changed"})]))
    assert after[1]["id"] == before[0]["id"] == "tag:site.example,2026-05-04:record/1"


@pytest.mark.parametrize("kind", FORMATS)
def test_no_more_than_the_newest_are_written(tmp_path: Path, kind: str) -> None:
    ones = [record(n) for n in range(300, 0, -1)]
    assert len(read(write(tmp_path, kind, ones))) == 100
    assert [entry["title"] for entry in read(write(tmp_path, kind, ones, most=2))] == ["Title 300", "Title 299"]


@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_that_says_the_same_already_is_left_alone(tmp_path: Path, kind: str) -> None:
    for ones in ([], [record(1)]):
        path = write(tmp_path, kind, ones)
        os.utime(path, (1, 1))
        assert not write_feed(path, ones, title="New on site.example", home=HOME, now=later(3_600))
        assert path.stat().st_mtime == 1
    assert write_feed(path, [record(2), record(1)], title="New on site.example", home=HOME, now=later(3_600))
    assert path.stat().st_mtime != 1


def test_rss_has_what_the_standard_asks_for(tmp_path: Path) -> None:
    root = ET.fromstring(write(tmp_path, "rss", [record(2, fields={"title": "A", "date": "2026-05-02"})]).read_bytes())
    channel = root[0]
    assert (root.tag, root.get("version"), channel.tag) == ("rss", "2.0", "channel")
    assert all(channel.findtext(name) for name in ("title", "link", "description", "lastBuildDate"))
    item = channel.find("item")
    assert item is not None
    guid = item.find("guid")
    assert guid is not None
    assert guid.get("isPermaLink") == "false"
    assert parsedate_to_datetime(item.findtext("pubDate") or "") == datetime(2026, 5, 2, tzinfo=UTC)
    assert item.findtext("category") == "list"
    assert parsedate_to_datetime(channel.findtext("lastBuildDate") or "") == later(2)


def test_atom_has_what_the_standard_asks_for(tmp_path: Path) -> None:
    ones = [record(2, fields={"title": "A", "date": "2026-05-02"}), record(1, links=(), fields={})]
    root = ET.fromstring(write(tmp_path, "atom", ones).read_bytes())
    assert root.tag == f"{ATOM}feed"
    assert all(len(root.findall(ATOM + name)) == 1 for name in ("id", "title", "updated", "author"))
    for entry in root.findall(f"{ATOM}entry"):
        assert all(len(entry.findall(ATOM + name)) == 1 for name in ("id", "title", "updated", "published"))
        (link,) = entry.findall(f"{ATOM}link")
        assert link.get("rel") == "alternate"
        assert (link.get("href") or "").startswith("http")
        assert datetime.fromisoformat(entry.findtext(f"{ATOM}updated") or "").tzinfo is not None
    assert root.findtext(f"{ATOM}updated") == "2026-05-04T12:00:02Z"
    assert root.findtext(f"{ATOM}entry/{ATOM}published") == "2026-05-02T00:00:00Z"


def test_json_feed_has_what_the_standard_asks_for(tmp_path: Path) -> None:
    one = record(2, fields={"title": "A", "date": "2026-05-02T08:00+02:00"}, images=(Url(f"{SITE}a.png"),))
    feed = json.loads(write(tmp_path, "json", [one]).read_text())
    assert (feed["version"], feed["title"]) == ("https://jsonfeed.org/version/1.1", "New on site.example")
    (item,) = feed["items"]
    assert isinstance(item["id"], str)
    assert item["content_text"]
    assert (item["date_published"], item["date_modified"]) == ("2026-05-02T06:00:00Z", "2026-05-04T12:00:02Z")
    assert (item["tags"], item["image"]) == (["list"], f"{SITE}a.png")


@pytest.mark.parametrize("kind", FORMATS)
def test_what_a_page_says_never_becomes_markup(tmp_path: Path, kind: str) -> None:
    one = record(1, fields={"title": HOSTILE, HOSTILE: HOSTILE}, kind=HOSTILE, links=(Url(f"{SITE}a?b&c=<d>"),))
    path = write(tmp_path, kind, [one])
    (entry,) = read(path)
    if kind == "atom":  # as JSON Feed has it: text by declaration
        assert feedparser.parse(path.read_bytes()).entries[0].summary_detail.type == "text/plain"
    assert ("<script>" in entry["text"]) == (kind != "rss")
    assert "alert(1)" in entry["text"]
    assert "é漢😀" in entry["title"]
    assert entry["link"] == f"{SITE}a?b&c=<d>"


@pytest.mark.parametrize("kind", FORMATS)
@settings(max_examples=60, deadline=None)
@given(text=st.text(st.characters(exclude_categories=()), max_size=50), date=st.text(max_size=20))
def test_any_text_gives_a_feed_that_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, kind: str, text: str, date: str
) -> None:
    folder = tmp_path_factory.mktemp("feeds")
    one = record(1, fields={"title": text, "date": date, text or "x": text}, site=text, kind=text)
    path = folder / f"new.{kind}"
    write_feed(path, [one], title=text, home=HOME, now=NOW)
    body = path.read_bytes()
    if kind == "json":
        assert json.loads(body)["items"][0]["content_text"]
    else:
        root = ET.fromstring(body)
        assert len(list(root.iter(f"{ATOM}entry" if kind == "atom" else "item"))) == 1


@pytest.mark.parametrize("kind", FORMATS)
def test_a_record_that_says_nothing_has_a_title_all_the_same(tmp_path: Path, kind: str) -> None:
    entries = read(write(tmp_path, kind, [record(2, fields={}), record(1, fields={}, links=())]))
    assert [entry["title"] for entry in entries] == [f"{SITE}story/2", "record 1"]
    assert entries[1]["link"] == HOME


@pytest.mark.parametrize("date", ["2099-01-01", "4 May 2026", "tomorrow", "99999999999999"])
def test_nothing_was_published_after_it_was_seen(tmp_path: Path, date: str) -> None:
    feed = json.loads(write(tmp_path, "json", [record(5, fields={"title": "A", "date": date})]).read_text())
    assert feed["items"][0]["date_published"] == "2026-05-04T12:00:05Z"


def test_the_suffix_says_the_format() -> None:
    names = ("a.rss", "a.XML", "a.atom", "a.json")
    assert [feed_format(Path(name)) for name in names] == ["rss", "rss", "atom", "json"]
    with pytest.raises(BadInput, match=r"not as 'feed\.txt' does"):
        feed_format(Path("feed.txt"))


def test_a_folder_that_is_missing_is_made(tmp_path: Path) -> None:
    assert read(write(tmp_path / "a" / "b", "rss", [record(1)]))


WRITER = """
import sys
from datetime import timedelta
from pathlib import Path
from tests.watching.listing import NOW, record
from scythe.watching.feed_files import write_feed
number = 0
while True:
    number += 1
    ones = [record(number + n, fields={"title": "Rain " * 200}) for n in range(100)]
    write_feed(Path(sys.argv[1]), ones, title="New", home="http://site.example/", now=NOW)
    if number == 1:
        print("begun", flush=True)
"""


@pytest.mark.fault
def test_a_killed_writer_leaves_a_whole_file(tmp_path: Path, root: Path) -> None:
    path = tmp_path / "new.rss"
    environment = os.environ | {"PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}
    for wait_s in (0.0, 0.013, 0.031):
        command = [sys.executable, "-c", WRITER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"begun\n"
            time.sleep(wait_s)  # the moment is what is tested
            writer.send_signal(signal.SIGKILL)
        assert len(read(path)) == 100
