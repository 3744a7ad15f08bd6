"""What others wrote is shown as text: 500 payloads in every field of every page, by template, by HTTP and in a browser.

A page with payloads must have the same elements and attributes as the same page with letters in their place; so fields
and pages that come later are held to it without being named here.
"""

import dataclasses
import re
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote, urlsplit

import msgspec
import pytest
from jinja2 import TemplateError
from tests.web.asking import Answer, ask, cookie
from tests.web.conftest import ROOT
from tests.web.payloads import PAYLOADS, addresses, harmless, rounds, skeleton
from tests.web.poisoned import WATCH, poison
from tests.web.serving import serve_in_thread

from scythe.cli.ui import login_file
from scythe.web.app import all_documents, all_operations, all_views, make_templates
from scythe.web.auth import Auth
from scythe.web.operations import Operation, RequestInput
from scythe.web.server import Serving
from scythe.web.state import State

WEB = ROOT / "src" / "scythe" / "web"
# what to ask for besides the bare path, so that pages show something
QUERIES = {
    "/archive": ("?q=harvest", "?what=records&q=harvest", "?what=records"),
    "/archive/page/1": ("?form=markdown", "?version=1"),
    "/records": ("?page=1", "?page=2"),
    "/rules": ("?page=1", "?site=poison.example"),
    "/sites": ("?site=poison.example", "?site=profile"),
    "/schedule": ("?site=poison.example",),
    "/fields": ("?site=profile",),
    "/annotate": ("?site=profile",),
}
NUMBERS = {"watch": WATCH}  # the rest is 1
SAFE = re.compile(r"(?:/(?!/)|\?|#|https?://(?:[\w.-]+\.)?example[/?])[^\s\"<>\\]*\Z|\Z")


def aim(path: str) -> str:
    """Return a path with the names in it replaced by numbers of what there is."""
    return re.sub(r"\{(\w+)[^}]*\}", lambda name: str(NUMBERS.get(name[1], 1)), path)


def view_paths() -> list[str]:
    """Return every page with something to show."""
    bare = [aim(view.path) for view in all_views()]
    return [path + query for path in bare for query in ("", *QUERIES.get(path, ()))]


def strings_of(kind: type[RequestInput]) -> list[str]:
    """Return the names of what a request may say in words."""
    return [each.name for each in msgspec.structs.fields(kind) if str in (each.type, *_parts(each.type))]


def _parts(kind: Any) -> Iterator[Any]:
    for part in get_args(kind):
        yield part
        yield from get_args(part)


CONTEXTS = ("<p>X</p>", '<p title="X">', "<p title='X'>", "<p title=X>", "<title>X</title>", "<textarea>X</textarea>")
CONTEXTS += ("<style>X</style>", "<script>X</script>", "<!--X-->", "<noscript>X</noscript>", "<code>X</code>")


def test_each_payload_would_act_where_nobody_escapes_it() -> None:
    # the control: texts that are harmless everywhere would prove nothing
    assert len(set(PAYLOADS)) == 500
    for payload in PAYLOADS:
        raw = payload if "&lt;" not in payload else unescape(payload)
        changes = [context for context in CONTEXTS if _differs(context, raw)]
        leads = SAFE.match(raw) is None and re.search(r"(?:script|html)\s*[:,]", raw, re.I) is not None
        assert changes or leads or "{{" in raw, payload


def _differs(context: str, text: str) -> bool:
    return skeleton(context.replace("X", text)) != skeleton(context.replace("X", harmless(text)))


# -- by template ---------------------------------------------------------------------------------------------------


def substitute(value: Any, texts: Iterator[str]) -> Any:
    """Put a text for every text inside a value, however deep."""
    if isinstance(value, str):
        return next(texts)
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return type(value)(substitute(each, texts) for each in value)
    if isinstance(value, dict):
        return {key: substitute(each, texts) for key, each in value.items()}
    if isinstance(value, RequestInput):
        return value  # it was checked when it came; what it says is tried by HTTP
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        named = {each.name: getattr(value, each.name) for each in dataclasses.fields(value) if each.init}
        return dataclasses.replace(value, **substitute(named, texts))
    return value


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Iterator[State]:
    """A state full of harmless texts."""
    state = poison(tmp_path_factory.mktemp("still"), is_harmless=True)
    yield state
    state.close()


def shown(state: State, view: Operation) -> Iterator[dict[str, Any]]:
    """Yield what fills the template of a view, for everything that it can be asked."""
    named = {name: str(NUMBERS.get(name, 1)) for name in re.findall(r"\{(\w+)", view.path)}
    for query in ("", *QUERIES.get(aim(view.path), ())):
        said = dict(part.split("=") for part in query[1:].split("&") if part)
        wanted = msgspec.convert({**said, **named}, view.wanted, strict=False)
        yield {"area": view.menu, "wanted": wanted, **view.call(state, wanted)}


@pytest.mark.parametrize("view", all_views(), ids=lambda view: view.path)
@pytest.mark.parametrize("step", [25, pytest.param(1, marks=pytest.mark.soak)])
def test_no_text_in_any_field_of_a_page_becomes_markup(still: State, view: Operation, step: int) -> None:
    fill = make_templates(still, Auth())
    for values in shown(still, view):
        for start in range(0, len(PAYLOADS), step if view.path != "/api" else 10 * step):  # its texts are all ours
            made = []
            for is_harmless in (False, True):
                texts = rounds(is_harmless=is_harmless, start=start)
                try:
                    made.append(fill(view.template, {**values, **substitute(_given(values), texts)}))
                except (TemplateError, ValueError, TypeError, KeyError) as error:
                    made.append(f"<p>{type(error).__name__}</p>")  # a text where only certain words can be
            assert skeleton(made[0]) == skeleton(made[1])
            assert "50337" not in made[0]  # nothing was calculated


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in ("area", "wanted")}


def test_the_error_page_says_any_error_as_text(still: State) -> None:
    fill = make_templates(still, Auth())
    said = {"area": "", "wanted": None, "status": 422}
    expected = skeleton(fill("wrong.html", {**said, "why": "harmless"}))
    for payload in PAYLOADS:
        assert skeleton(fill("wrong.html", {**said, "why": payload})) == expected


# -- by HTTP -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Serving, Serving]]:
    """Two rooms that differ in nothing but their texts: payloads in one, letters in the other."""
    evil = poison(tmp_path_factory.mktemp("evil"), is_harmless=False)
    good = poison(tmp_path_factory.mktemp("good"), is_harmless=True)
    with serve_in_thread(evil) as one, serve_in_thread(good) as other:
        yield one, other


def get(serving: Serving, path: str) -> Answer:
    return ask(serving, path, headers={**cookie(serving.auth), "Accept": "text/html"})


def check_page(answer: Answer) -> None:
    """Assert that a page has no script but ours, no handler, and leads to pages of the web or of ours only."""
    assert answer.kind == "text/html"
    for tag, names in skeleton(answer.text):
        assert not tag.startswith("xss")
        assert not [name for name in names if name.startswith("on") or name in ("srcdoc", "style", "xss", "autofocus=")]
    wrong = [address for address in addresses(answer.text) if SAFE.match(address) is None]
    assert wrong == []
    scripts = re.findall(r"<script[^>]*>[^<]*", answer.text)
    assert all(re.fullmatch(r'<script type="module" src="/static/\w+\.js">', each) for each in scripts)


@pytest.mark.parametrize("path", view_paths())
def test_a_page_full_of_payloads_is_built_as_any_other(pair: tuple[Serving, Serving], path: str) -> None:
    evil, good = (get(serving, path) for serving in pair)
    assert evil.status == good.status
    assert evil.status in (200, 404)
    check_page(evil)
    assert {*skeleton(evil.text)} <= {*skeleton(good.text)}  # as many as there are; which, depends on the texts


@pytest.mark.parametrize("view", all_views(), ids=lambda view: view.path)
def test_what_a_query_says_is_shown_as_text(pair: tuple[Serving, Serving], view: Operation) -> None:
    bare = aim(view.path)
    known = {*skeleton(get(pair[1], bare).text)}.union(
        *(skeleton(get(pair[1], bare + query).text) for query in QUERIES.get(bare, ()))
    )
    for name in (*strings_of(view.wanted), "unknown", '"><script>'):
        for payload in PAYLOADS[::51]:
            evil = get(pair[0], f"{bare}?{quote(name)}={quote(payload)}")
            good = get(pair[0], f"{bare}?{quote(harmless(name))}={quote(harmless(payload))}")
            assert evil.status in (200, 404, 409, 422)
            assert evil.status == good.status
            check_page(evil)
            assert {*skeleton(evil.text)} <= known | {*skeleton(good.text)}


def test_json_and_drawings_are_sent_as_what_they_are(pair: tuple[Serving, Serving]) -> None:
    plain = [one.path for one in (*all_operations(), *all_documents()) if getattr(one, "method", "GET") == "GET"]
    for path in plain:
        evil, good = (get(serving, aim(path)) for serving in pair)
        assert evil.headers["x-content-type-options"] == "nosniff"
        if evil.kind in ("text/html", "image/svg+xml"):
            assert "sandbox" in evil.headers["content-security-policy"].split()
            assert {*skeleton(evil.text)} <= {*skeleton(good.text)}
            assert not [tag for tag, names in skeleton(evil.text) if tag == "script" or "onload" in names]
        else:
            assert not evil.kind.endswith(("html", "xml"))


# -- in a browser --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_no_payload_does_anything_in_a_browser(chromium: Any, pair: tuple[Serving, Serving]) -> None:
    serving = pair[0]
    own = f"http://{urlsplit(serving.url).netloc}"
    said: list[str] = []
    wrong: list[str] = []
    with closing(chromium.new_context(reduced_motion="reduce")) as context:
        tabs = {}
        for path in ("/", *(aim(view.path) for view in all_views()), "/archive?what=records", "/records?page=1"):
            tab = tabs[path] = context.new_page()
            tab.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
            tab.on("pageerror", lambda error: said.append(str(error)))
            tab.on("console", lambda line: said.append(line.text) if line.type in ("error", "warning") else None)
            tab.on(
                "request", lambda asked: said.append(asked.url) if not asked.url.startswith((own, "data:")) else None
            )
            tab.goto(f"{own}{path}" if len(tabs) > 1 else serving.address(path), wait_until="commit")
        looked = "[typeof window.pwned, document.title.endsWith(' \u00b7 scythe')]"
        for path, tab in tabs.items():
            tab.wait_for_load_state("networkidle")
            if tab.evaluate(looked) != ["undefined", True]:
                wrong.append(path)
    assert (wrong, said) == ([], [])


@pytest.mark.slow
def test_a_browser_is_let_in_by_the_file_that_only_its_user_can_read(
    chromium: Any, pair: tuple[Serving, Serving]
) -> None:
    serving = pair[0]
    with closing(chromium.new_context()) as context, login_file(serving.address("/rules?site=profile")) as file:
        tab = context.new_page()
        tab.goto(file)
        tab.wait_for_url(f"{serving.url}rules?site=profile")
        assert tab.evaluate("document.title.endsWith(' \u00b7 scythe')")


# -- in the source -------------------------------------------------------------------------------------------------

_SINKS = (
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|parseFromString|srcdoc"
    r"|\beval\s*\(|new Function|setHTML|javascript:|trustedTypes|import\s*\(|postMessage|setTimeout\(\s*[\"'`]"
    r"|\.cookie\b|https?://"
)


@pytest.mark.parametrize("script", sorted((WEB / "static").glob("*.js")), ids=lambda path: path.name)
def test_no_script_of_ours_makes_markup_or_code_of_text(script: Path) -> None:
    code = re.sub(r"^\s*//.*$", "", script.read_text("utf-8"), flags=re.M)
    found = re.findall(_SINKS, code)
    if "runs" in script.name or "xmlns" in code:
        found = [one for one in found if one != "http://"]  # the name of SVG, which nobody asks for
    assert found == []


@pytest.mark.parametrize("sheet", sorted((WEB / "static").glob("*.css")), ids=lambda path: path.name)
def test_no_style_sheet_of_ours_asks_for_anything(sheet: Path) -> None:
    assert re.findall(r"url\(|@import|expression\(|@font-face", sheet.read_text("utf-8")) == []


@pytest.mark.parametrize("template", sorted((WEB / "templates").glob("*.html")), ids=lambda path: path.name)
def test_no_template_has_inline_code_or_takes_text_for_markup(template: Path) -> None:
    source = template.read_text("utf-8")
    assert re.findall(r"\|\s*safe\b|autoescape|Markup|\bstyle\s*=|<style|\son\w+\s*=|javascript:|srcdoc", source) == []
    assert re.findall(r"<script(?![^>]*\ssrc=\"/static/)[^>]*>", source) == []
    assert re.findall(r"\s[\w-]+=\{", source) == []  # every value stands in quotes
    assert re.findall(r"(?:src|href|action)=\"(?:https?:)?//", source) == []


def test_nothing_of_ours_is_taken_for_markup_in_python_either() -> None:
    modules = [path.read_text("utf-8") for path in WEB.glob("*.py")]
    assert len(modules) > 10
    assert [
        found for text in modules for found in re.findall(r"markupsafe|Markup\(|from_string\(|\|\s*safe\b", text)
    ] == []
