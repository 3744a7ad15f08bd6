"""Ask every page of the web page, and every operation that only reads, on a big archive; print how long each takes.

ARCHIVE is what bench/trials/big_archive.py wrote. The routes are those of the application: one that is new and
wants something that is not known here ends the measurement with an error. Exit code 1: the slowest is above the bar.
"""

from __future__ import annotations

import re
import statistics
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from sqlalchemy import text
from tests.web.serving import serve_in_thread

from bench.trials.harness import median_ms, print_table
from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.archive.results import SearchQuery
from scythe.archive.search import run_search
from scythe.archive.search_index import index_new
from scythe.demo import site as demo_site
from scythe.fetch.inputs import LoadedPage
from scythe.site.site import Site
from scythe.web.app import all_documents, all_operations, all_views
from scythe.web.archive.archive import DownloadWanted
from scythe.web.operations import Operation, RequestInput
from scythe.web.server import Serving
from scythe.web.state import State, StateOptions

SITE = "site00.example"
WORDS = (
    "", "harvest", "harvest market", '"harvest field"', "harv*", "halan -harvest", "收成", "京", "nosuchword",
    "thing 17",
)  # fmt: skip
# what is asked beside the path itself, by the path: the same page with more to do
_DAYS = [(datetime.now(UTC) - timedelta(days=ago)).strftime("%Y-%m-%d") for ago in (20, 18)]
MORE = {
    "/archive": ["?q=harvest", "?q=harvest&what=records", "?what=records", f"?q=harvest+market&site={SITE}",
                 "?q=%22harvest+field%22&old=true", "?q=nosuchword", "?q=%E6%94%B6%E6%88%90",
                 f"?what=records&since={_DAYS[0]}&until={_DAYS[1]}",
                 "?q=harv*&what=records&order=newest&kind=products"],
    "/api/search": ["?q=harvest", "?q=harvest&what=records&order=newest", "?what=records&count=100"],
    "/schedule/list/{list_id}": ["?days=365"],
    "/schedule/plot/{list_id}": ["?days=365"],
}  # fmt: skip
AT_HAND = {"page": ["1"], "number": ["1"], "element": ["40"], "start": ["0"], "end": ["5000"]}  # of pages at hand
_NAME = re.compile(r"\{([a-z_]+)(?::[a-z]+)?\}")


def numbers(archive: str) -> dict[str, list[str]]:
    """Return what stands for the names in paths: numbers of the archive, and of pages at hand."""
    with open_archive(archive, create=False) as opened, opened.reading() as connection:

        def first(query: str) -> str:
            return str(connection.execute(text(query)).scalar() or 1)

        changed = first("SELECT id FROM pages WHERE versions > 1 AND id NOT IN (SELECT id FROM watches) ORDER BY id")
        long = first("SELECT page FROM versions JOIN extractions ON version = id ORDER BY length(text) DESC LIMIT 1")
        return {
            "document": [changed, long],
            "list": [first("SELECT id FROM watches ORDER BY id")],
            "record": [first("SELECT max(id) FROM records"), first("SELECT min(id) FROM records")],
            "watch": [first("SELECT id FROM watches ORDER BY id")],
            "list_id": [first("SELECT id FROM lists ORDER BY id")],
        }  # fmt: skip


def addresses(path: str, wanted: type[RequestInput], names: dict[str, list[str]]) -> Iterator[str]:
    """Yield addresses of a path, its names and what else must be said filled in."""
    found = _NAME.findall(path)
    needed = [field.name for field in msgspec.structs.fields(wanted) if field.required and field.name not in found]
    said = f"?{'&'.join(f'{name}={names[name][0]}' for name in needed)}" if needed else ""
    is_archived = path.startswith(("/archive/", "/api/documents/"))
    fills = names["document"] if is_archived and found == ["page"] else names[found[0]] if found else [""]
    for fill in fills:
        filled = _NAME.sub(lambda match, fill=fill: fill if match[1] == found[0] else names[match[1]][0], path)
        yield from (f"{filled}{more}" for more in (said, *MORE.get(path, ())))


def ask(serving: Serving, address: str) -> tuple[int, float]:
    """Return status and milliseconds of one request."""
    request = urllib.request.Request(f"{serving.url}{address.lstrip('/')}")
    request.add_header("Authorization", f"Bearer {serving.auth.token}")
    began = time.perf_counter()
    try:
        with urllib.request.urlopen(request) as answer:
            answer.read()
            return answer.status, 1e3 * (time.perf_counter() - began)
    except urllib.error.HTTPError as error:
        with error:
            error.read()
            return error.code, 1e3 * (time.perf_counter() - began)


def routes() -> list[Operation]:
    """Return everything that can be asked for without changing anything."""
    reading = [one for one in all_operations() if one.method == "GET"]
    return [*all_views(), *reading, *all_documents()]


def measure(serving: Serving, names: dict[str, list[str]], times: int) -> list[tuple[float, float, int, str]]:
    """Return median and least of the milliseconds, status and address, the slowest first."""
    measured = []
    for route in routes():
        if route.wanted is DownloadWanted:  # a file of megabytes, not a page
            continue
        for address in addresses(route.path, route.wanted, names):
            for given in (address, with_site(route.wanted, address)):
                if given:
                    answers = [ask(serving, given) for _ in range(times + 1)][1:]  # the first fills what is kept
                    spent = [ms for _, ms in answers]
                    measured.append((statistics.median(spent), min(spent), answers[0][0], given))
    return sorted(measured, reverse=True)


def with_site(wanted: type[RequestInput], address: str) -> str:
    """Return the address for one site, where it can be narrowed to one."""
    if "site" not in wanted.__struct_fields__ or "site=" in address:
        return ""
    return f"{address}{'&' if '?' in address else '?'}site={SITE}"


def measure_pages(where: str, times: int) -> list[tuple[float, float, int, str]]:
    """Serve a state on an archive, with pages at hand that something was learned of, and measure all of it."""
    with open_archive(where, create=False) as archive:
        index_new(archive, budget_s=3_600)
    pages = [LoadedPage(page.path, page.html, page.url, page.content_type) for page in demo_site(seed=1, pages=24)]
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "site.json"
        Site.learn([(page.url or "", page.body) for page in pages]).save(profile)
        state = State(StateOptions(where, profile, "The Field Post"), pages)
        state.jobs.start("measure", "Something to look at", lambda job: None)
        with serve_in_thread(state) as serving:
            return measure(serving, numbers(where) | AT_HAND, times)


def measure_search(archive: Archive, times: int) -> None:
    with archive.writing() as connection:
        connection.execute(text("DELETE FROM cursors WHERE name LIKE 'search %'"))
    began, cpu = time.perf_counter(), time.process_time()
    index_new(archive, budget_s=3_600)
    spent, cpu = time.perf_counter() - began, time.process_time() - cpu
    print(f"indexed in {spent:.1f} s ({cpu:.1f} s of this process); ", end="")
    print(f"nothing new: {median_ms(lambda: index_new(archive), times):.1f} ms\n")
    rows = []
    for words in WORDS:
        for what in ("documents", "records"):
            first = run_search(archive, SearchQuery(words, what))
            found = f"{'> ' if first.is_more else ''}{first.total}"
            best = median_ms(lambda words=words, what=what: run_search(archive, SearchQuery(words, what)), times)
            newest = median_ms(
                lambda words=words, what=what: run_search(archive, SearchQuery(words, what, order="newest")), times
            )
            again = SearchQuery(words, what, after=first.next)
            second = median_ms(lambda again=again: run_search(archive, again), times) if first.next else 0.0
            rows.append((words, what, found, f"{best:.0f}", f"{newest:.0f}", f"{second:.0f}"))
    print_table(("words", "what", "found", "best first, ms", "newest first, ms", "second page, ms"), rows)


def run(archive: str, *, times: int = 5, bar: float = 300.0, search: bool = False) -> int:
    """Ask every page; or with `search` index the archive anew and search it. `bar` is in milliseconds."""
    if search:
        with open_archive(archive, create=False) as opened:
            measure_search(opened, times)
        return 0
    measured = measure_pages(archive, times)
    rows = ((f"{ms:.0f}", f"{least:.0f}", status, address) for ms, least, status, address in measured)
    print_table(("median, ms", "least, ms", "status", "address"), rows)
    print(f"\nslowest of {len(measured)}: {measured[0][0]:.0f} ms ({measured[0][3]})")
    return measured[0][0] > bar
