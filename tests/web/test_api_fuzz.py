"""Ask the JSON interface everything that its description allows, and what it does not: answers are as described.

The real server, with pages at hand, a learned site and an archive. Nothing leaves the machine: no name resolves, and
the guard lets nothing out.
"""

import json
import socket
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from bench.trials.big_archive import Maker, add_pages, add_watches
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.web.asking import call
from tests.web.conftest import demo_pages
from tests.web.serving import serve_in_thread

from scythe import Site
from scythe.archive.open import open_archive
from scythe.archive.stored_sites import add_site, save_profile
from scythe.fetch import guard
from scythe.fetch.fetch_options import FetchOptions
from scythe.web.app import all_operations
from scythe.web.openapi import describe_interface
from scythe.web.server import Serving
from scythe.web.state import State, StateOptions

schemathesis = pytest.importorskip("schemathesis")
generation = pytest.importorskip("schemathesis.generation")
checks = pytest.importorskip("schemathesis.checks")

HOST = "site00.example"
# What there is: random names would find nothing.
KNOWN: dict[str, list[Any]] = {
    "site": ["profile", HOST, ""],
    "page": [1, 2, 3, 6, 7],
    "number": [1, 2, 3],
    "record": [1, 2, 3],
    "list_id": [1, 2],
    "watch": [11, 12],
    "version": [1, 2],
    "old": [1, 2],
    "new": [1, 2],
    "element": [0, 1, 5, 40],
    "q": ["harvest field", '"harvest"', "har*", "-field", "今年"],
    "what": ["documents", "records"],
    "since": ["2026-10-01"],
    "after": ["1"],
    "value": [""],
    "attribute": [""],
    "html": ["<h1>A</h1><p>Some words stand here, and there are more of them.", "<ul><li>a<li>b<li>c"],
    "url": [f"http://{HOST}/list/0", f"http://{HOST}/page/1", "http://127.0.0.1:8080/", "example.org"],
    "name": ["title", "price"],
    "field": ["title", "text"],
}
WELL = ("status_code_conformance", "content_type_conformance", "response_schema_conformance")
_ADDRESS_CHARS = (
    5_000  # up to twelve bytes each once escaped; beyond 64 KB the server hangs up, and that is all it says
)
MEANT = (501, 502, 503)  # above 500, and not our fault


@pytest.fixture(scope="module")
def closed() -> Iterator[None]:
    """A machine that nothing leaves."""
    look_up = socket.getaddrinfo

    def refuse(host: Any, *given: Any, **named: Any) -> Any:
        if host in ("127.0.0.1", "localhost", b"127.0.0.1"):
            return look_up(host, *given, **named)
        raise socket.gaierror(socket.EAI_NONAME, "no name resolves here")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", refuse)
        patch.setattr(guard, "why_closed", lambda address: "closed while testing")
        yield


@pytest.fixture(scope="module")
def fuzzed(closed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A state with some of everything, served."""
    folder = tmp_path_factory.mktemp("fuzz")
    pages = demo_pages()[:6]
    learned = Site.learn([(page.url, page.body) for page in pages])
    learned.save(folder / "site.json")
    fill(folder / "archive.db", learned)
    options = StateOptions(str(folder / "archive.db"), folder / "site.json", "", FetchOptions(timeout_s=2.0), 0.0)
    with serve_in_thread(State(options, pages)) as serving:
        yield serving


def fill(path: Path, learned: Site) -> None:
    maker = Maker()
    with open_archive(str(path)) as archive:
        add_pages(archive, maker, HOST, 10, 20)
        add_watches(archive, maker, HOST, 2, 40)
        save_profile(archive, add_site(archive, HOST, f"http://{HOST}/"), learned.to_json())  # type: ignore[arg-type]


SCHEMA = schemathesis.openapi.from_dict(json.loads(json.dumps(describe_interface())))
OPERATIONS = [result.ok() for result in SCHEMA.get_all_operations()]


def aim(case: Any, draw: Any) -> None:
    """Put names and numbers of what there is into some places of a request."""
    described = case.operation.definition.raw
    body = described.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    names = {
        where: {one["name"] for one in described["parameters"] if one["in"] == where} for where in ("path", "query")
    }
    fields = describe_interface()["components"]["schemas"].get(body.get("$ref", "").rpartition("/")[2], body)
    places = {"path_parameters": names["path"], "query": names["query"], "body": fields.get("properties", ())}
    for place, known in places.items():
        said = getattr(case, place)
        if isinstance(said, Mapping):
            aimed = {name for name in sorted(set(known) & set(KNOWN)) if draw(st.booleans())}
            chosen = {name: draw(st.sampled_from(KNOWN[name])) for name in sorted(aimed)}
            setattr(case, place, {**said, **chosen})  # a copy: what was generated may be generated again


def fuzz(operation: Any, serving: Serving, examples: int, *, fixed: bool) -> Counter[int]:
    """Ask for one operation so many times, half of them wrongly; return how often each status came."""
    chosen = checks.CHECKS.get_by_names(WELL)
    asked = operation.as_strategy(generation.GenerationMode.POSITIVE)
    wrongly = operation.as_strategy(generation.GenerationMode.NEGATIVE)
    seen: Counter[int] = Counter()
    headers = {"Authorization": f"Bearer {serving.auth.token}"}

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=fixed,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=asked | wrongly, data=st.data())
    def request(case: Any, data: Any) -> None:
        aim(case, data.draw)
        assume(len(str(case.query)) + len(str(case.path_parameters)) < _ADDRESS_CHARS)
        answer = case.call(base_url=serving.url, headers=headers, timeout=60)
        seen[answer.status_code] += 1
        assert answer.status_code < 500 or answer.status_code in MEANT, answer.text
        case.validate_response(answer, checks=chosen)

    request()
    return seen


@pytest.mark.fault
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_answers_are_as_described(operation: Any, fuzzed: Serving) -> None:
    seen = fuzz(operation, fuzzed, 6, fixed=True)
    assert sum(seen.values()) >= 1
    assert 500 not in seen


@pytest.mark.soak
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_answers_are_as_described_however_often_one_asks(operation: Any, fuzzed: Serving) -> None:
    assert 500 not in fuzz(operation, fuzzed, 2_000, fixed=False)


HOSTILE = {
    "deep lists": b"[" * 100_000,
    "deep objects": b'{"html":' * 100_000,
    "closed deep lists": b'{"html":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "huge integer": b'{"page":' + b"9" * 100_000 + b"}",
    "huge float": b'{"page":1e999}',
    "64 bits and one": b'{"page":18446744073709551616}',
    "NaN": b'{"page":NaN}',
    "infinity": b'{"page":-Infinity}',
    "not UTF-8": b'{"html":"\xff\xfe"}',
    "UTF-16": '{"html":"a"}'.encode("utf-16"),
    "byte order mark": b'\xef\xbb\xbf{"html":"a"}',
    "encoded surrogate": b'{"html":"\xed\xa0\x80"}',
    "lone surrogate": rb'{"html":"\ud800"}',
    "NUL in a name": rb'{"ht\u0000ml":"a"}',
    "two values": b'{"html":"a"}{"html":"b"}',
    "single quotes": b"{'html':'a'}",
    "a list": b'["html"]',
    "null": b"null",
    "a form": b"html=a&url=b",
    "unknown name": b'{"__proto__":{"x":1}}',
    "cut": b'{"html":"a',
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_bodies_get_clean_errors(kind: str, fuzzed: Serving) -> None:
    said = call(fuzzed, "/api/read", HOSTILE[kind])
    assert said.status in (400, 422)
    assert said.value["error"]


@pytest.mark.parametrize(
    "body",
    [
        b'{"html":"a","html":"<p>b"}',
        rb'{"html":"<p>a\u0000b"}',
        json.dumps({"html": "<div>" * 50_000}).encode(),
        json.dumps({"html": "<p a='" + "&#x" * 20_000}).encode(),
        json.dumps({"html": "\U0001f600" * 1_000, "url": "https://\u0442\u0435\u0441\u0442.example/\u0000"}).encode(),
        b"",
    ],
    ids=["twice", "NUL", "deep page", "endless attribute", "emoji", "nothing"],
)
def test_odd_bodies_are_answered(body: bytes, fuzzed: Serving) -> None:
    said = call(fuzzed, "/api/read", body)
    assert said.status in (200, 422)
    assert isinstance(said.value, dict)


@pytest.mark.parametrize(
    "path", ["/api/search?q=a%00b", "/api/search?kind=%00", "/api/health?site=%00", "/api/jobs/%00"]
)
def test_nul_in_an_address_reaches_no_database(path: str, fuzzed: Serving) -> None:
    assert call(fuzzed, path).status == 422


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY", "get"])
def test_other_methods_are_refused_by_every_path(method: str, fuzzed: Serving) -> None:
    paths = {one.path.replace("{number}", "1") for one in all_operations()}
    answers = {path: call(fuzzed, path, method=method) for path in paths if "{" not in path}
    assert {said.status for said in answers.values()} == {405}
    assert all(said.headers.get("allow") for said in answers.values())
