"""Every promise of SECURITY.md has its tests, and they run on every change; what has no other home is tested here."""

import ast
from pathlib import Path

import pytest
from tests.security.hostile import CODE, hostile_page
from tests.security.promises import ROOT, Promise, read_promises, why_not_run

import scythe
from scythe.fetch import FetchOptions

SOURCES = sorted((ROOT / "src" / "scythe").rglob("*.py"))
PROMISES = read_promises((ROOT / "SECURITY.md").read_text(encoding="utf-8"))


def test_promises_are_numbered_without_a_gap() -> None:
    assert [promise.number for promise in PROMISES] == list(range(1, len(PROMISES) + 1))
    assert len(PROMISES) >= 20


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: f"P{promise.number}")
def test_every_promise_has_tests_that_run_on_every_change(promise: Promise) -> None:
    assert promise.tests, promise.said
    for name in promise.tests:
        assert why_not_run(name) == "", f"P{promise.number}: {name}"


def test_a_test_that_is_gone_or_not_run_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "marked.py").write_text("import pytest\npytestmark = [pytest.mark.skip('x')]\ndef test_a(): ...\n")
    (tmp_path / "plain.py").write_text("import pytest\n@pytest.mark.soak\ndef test_b(): ...\ndef test_c(): ...\n")
    reasons = [why_not_run(name, tmp_path) for name in ("test_a", "test_b", "test_c", "test_d")]
    assert [bool(reason) for reason in reasons] == [True, True, False, True]


# the web page and the report of the demo: by name, everything escaped; the site of the demo, of words of its own
OURS = ("app.py", "report.py", "page_parts.py")


def test_no_template_engine_sees_what_a_page_says() -> None:
    """Jinja fills templates of ours, found by their names; nothing else in the package makes a template of a text."""
    engines = {"jinja2", "mako", "chameleon", "tornado", "django", "genshi"}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
                used = {name.split(".")[0] for name in names} & engines
                assert not used or path.name in OURS, f"{path}: {used}"
            if isinstance(node, ast.Attribute):
                assert node.attr not in {"from_string", "safe_substitute", "substitute"}, f"{path}:{node.lineno}"
            if isinstance(node, ast.Name):
                assert node.id not in {"Template", "FileSystemLoader", "DictLoader", "FunctionLoader"}, path


def test_what_looks_like_a_template_comes_out_as_it_is() -> None:
    for number, code in enumerate(CODE):
        document = scythe.read(hostile_page(number), url="https://site.example/a.html")
        assert " ".join(code.split())[:40] in " ".join((document.title or "").split()), code
        assert "49" not in document.text


def test_the_defaults_are_the_safe_ones() -> None:
    options = FetchOptions()
    assert options.verify_tls
    assert not options.allow_private
    assert scythe.CrawlOptions().obey_robots
    assert scythe.WatchOptions().obey_robots
    assert options.proxy is None
    assert options.credentials == ()
    assert not options.cookies
