"""Everything hostile in the registry meets the real parts of scythe: each ends in a result or in an error of ours."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.faults import odd_pages
from tests.faults.__main__ import main
from tests.faults.archives import ARCHIVES, HARMLESS, WARCS, complaints_about, fill
from tests.faults.pages import AFTER, BEFORE
from tests.faults.profiles import LABELS, PROFILES, WHOLE, RunsCode
from tests.faults.registry import PAGES, SERVERS, TABLES, slug
from tests.faults.serving import serve_hostile

import scythe
from scythe.errors import BadInput, FetchFailed
from scythe.fetch import FetchOptions, fetch, open_fetcher
from scythe.model import Response
from scythe.output.warc import verify_warc
from scythe.site.labels.label_files import read_labels
from scythe.site.profile import load_profile

pytestmark = pytest.mark.fault
DEADLINE_S = 5.0
MOST_BYTES = 1_000_000
GRACE_S = 30.0  # for a machine that is busy


def test_everything_has_a_name_of_its_own() -> None:
    names = [(kind, slug(name)) for kind, table in TABLES.items() for name in table]
    assert len(set(names)) == len(names) > 500


@contextmanager
def started(root: Path) -> Iterator[str]:
    """Start the command as a process; yield the address that it says."""
    command = [sys.executable, "-m", "tests.faults", "serve"]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip().rstrip("/")
        finally:
            process.kill()


def harvest(urls: list[str]) -> dict[str, tuple[Response | FetchFailed, float]]:
    """Fetch all at once; return what came of each and after how long."""

    async def settle(fetcher: scythe.fetch.Fetcher, url: str) -> tuple[Response | FetchFailed, float]:
        began = time.monotonic()
        return await fetcher.settle(url), time.monotonic() - began

    async def work() -> list[tuple[Response | FetchFailed, float]]:
        options = FetchOptions(
            allow_private=True, timeout_s=DEADLINE_S, max_bytes=MOST_BYTES, concurrency=500, per_host=500, cookies=True
        )
        async with open_fetcher(options) as fetcher:
            return await asyncio.gather(*(settle(fetcher, url) for url in urls))

    return dict(zip(urls, asyncio.run(work()), strict=True))


def test_every_server_ends_in_a_response_or_a_reason_within_the_deadline(root: Path) -> None:
    with started(root) as base:
        urls = [f"{base}/servers/{slug(name)}" for name in SERVERS]
        urls += [f"{base}/servers/{slug(name)}/robots.txt" for name in SERVERS if name.startswith("robots ")]
        urls += [f"{base}/servers/{slug(name)}/sitemap.xml" for name in SERVERS if "sitemap" in name]
        urls += [f"{base}/pages/{slug(name)}?n=20" for name in odd_pages.PAGES]
        urls += [f"{base}/pages/nested-div?n=5000", f"{base}/pages/nobody", f"{base}/nowhere"]
        results = harvest(urls)
        front = fetch(f"{base}/", options=FetchOptions(allow_private=True))  # it still serves, whoever left it how
    assert max(took for _, took in results.values()) < DEADLINE_S + GRACE_S
    assert front.body.count(b"<tr>") == len(PAGES) + len(SERVERS) + 1
    for url, (result, _) in results.items():
        if isinstance(result, Response):
            assert len(result.body) <= MOST_BYTES, url
            assert result.why_cut or not any(f"/{kind}-" in url for kind in ("bomb", "drip")) or "redirect" in url, url
    assert sum(isinstance(result, Response) for result, _ in results.values()) > 50


def test_one_server_alone_stands_at_the_root_of_its_port() -> None:
    options = FetchOptions(allow_private=True)
    with serve_hostile(alone="robots-that-are-a-page") as server:
        robots, page = (fetch(server.url(path), options=options) for path in ("/robots.txt", "/"))
    assert b"Disallow" in robots.body
    assert b"honest" in page.body


@pytest.mark.parametrize("name", odd_pages.PAGES)
def test_odd_pages_become_documents_and_lose_nothing_in_silence(name: str) -> None:
    body = odd_pages.PAGES[name](50)
    document = scythe.read(body, url="https://example.org/")
    assert "\0" not in document.text
    document.text.encode()
    has_needles = BEFORE.encode() in body or BEFORE.encode("utf-16-le") in body
    if has_needles and not document.losses:
        page = scythe.Page.from_bytes(body)
        text = "\n".join(page.blocks.text)
        assert BEFORE in text
        assert AFTER in text or AFTER.encode() not in body or "script" in name or "a tags" in name
    else:
        assert document.text or document.why or document.losses


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_damaged_archive_is_complained_of(name: str, tmp_path: Path) -> None:
    complaints = complaints_about(ARCHIVES[name](tmp_path))
    assert bool(complaints) == (name not in HARMLESS)


def test_a_whole_archive_is_not_complained_of(tmp_path: Path) -> None:
    assert complaints_about(fill(tmp_path / "whole.db", 3)) == []


@pytest.mark.parametrize("name", WARCS)
def test_a_damaged_warc_file_is_complained_of(name: str, tmp_path: Path) -> None:
    verified = verify_warc(WARCS[name](tmp_path))
    assert verified.complaints
    assert verified.records in (0, 19, 21, 22)


@pytest.mark.parametrize("name", PROFILES)
def test_a_hostile_profile_is_refused_and_runs_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=r"^site\.json(, line [0-9]+)?: ") as caught:
        load_profile(PROFILES[name](), name="site.json")
    assert len(str(caught.value)) < 400  # whatever the file says
    assert not Path(RunsCode.SENTINEL).exists()


def test_a_whole_profile_is_not_refused() -> None:
    assert load_profile(WHOLE).profile.fields == ("title", "text")


@pytest.mark.parametrize("name", LABELS)
def test_a_hostile_label_file_is_refused(name: str) -> None:
    if name == "labels with half characters.json":  # an address like any other: it names no image of any page
        assert len(read_labels(LABELS[name](), name).rows) == 1
        return
    with pytest.raises(BadInput, match="labels"):
        read_labels(LABELS[name](), name)


def test_the_command_line_writes_what_it_is_asked_for(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["list", "profile"]) == 0
    listed = capfdbinary.readouterr().out.decode().splitlines()
    assert len(listed) == len(PROFILES) + len(LABELS)
    assert all(line.startswith("profile\t") for line in listed)
    assert main(["archive", "cut-at-0.3", str(tmp_path / "new")]) == 0
    assert complaints_about(Path(capfdbinary.readouterr().out.decode().strip()))
    assert main(["profile", "of null", str(tmp_path / "p.json")]) == 0
    with pytest.raises(BadInput, match="not a profile"):
        load_profile((tmp_path / "p.json").read_bytes())
    assert main(["addresses", "metadata-services"]) == 0
    assert b"169.254.169.254" in capfdbinary.readouterr().out
    assert main(["profile", "of null", str(tmp_path / "nowhere" / "p.json")]) == 1
    assert main(["page", "nobody"]) == 2
    assert b"nothing hostile called 'nobody'" in capfdbinary.readouterr().err
