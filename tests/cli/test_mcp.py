"""`scythe mcp` as the program of a language model uses it: a real client, a real process, standard input and output."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.web.conftest import demo_pages, make_state

from scythe import Site
from scythe.web.app import all_operations
from scythe.web.tools import call_tool, fit, list_tools

mcp = pytest.importorskip("mcp")
KEPT = ("PATH", "PYTHONPATH")  # of the environment: clients hand down little of theirs


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with saved pages and the profile of their site."""
    folder = tmp_path_factory.mktemp("mcp")
    pages = demo_pages()[:12]
    Site.learn([(page.url, page.body) for page in pages]).save(folder / "site.json")
    (folder / "story.html").write_bytes(pages[2].body)
    return folder


@asynccontextmanager
async def connect(folder: Path, *options: str) -> AsyncIterator[Any]:
    environment = {name: os.environ[name] for name in os.environ if name in KEPT or name.startswith("COVERAGE")}
    arguments = ["-m", "scythe", "mcp", *options]
    started = mcp.StdioServerParameters(command=sys.executable, args=arguments, env=environment, cwd=folder)
    async with mcp.Client(started, read_timeout_seconds=60) as client:
        yield client


@pytest.mark.slow
def test_a_model_reads_lists_and_extracts_pages(sessions: Path) -> None:
    async def work() -> None:
        async with connect(sessions, "story.html", "--profile", "site.json", "--archive", "a.db") as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            wanted = {
                "read", "extract", "records", "suggest", "sites", "search", "document", "record", "schedule", "rules",
            }  # fmt: skip
            assert wanted <= set(tools)
            assert "fetch_pages" not in tools
            assert all(tool.annotations.read_only_hint for tool in tools.values())
            assert all(tool.input_schema["type"] == "object" for tool in tools.values())
            text = (await client.call_tool("read", {"page": "1", "parts": ["title", "text"]})).structured_content
            assert text["title"] == "Upper Wend gets its railway back"
            cut = await client.call_tool("extract", {"page": 1})
            assert json.loads(cut.content[0].text) == cut.structured_content
            assert cut.structured_content["fields"]["title"]["values"] == [text["title"]]
            lists = await client.call_tool("records", {"page": 1})
            assert lists.structured_content["answer"][0]["columns"]

    asyncio.run(work())


@pytest.mark.slow
def test_a_model_is_told_what_went_wrong(sessions: Path) -> None:
    async def work() -> None:
        async with connect(sessions, "--archive", "b.db", "--allow-changes") as client:
            assert "fetch_pages" in {tool.name for tool in (await client.list_tools()).tools}
            file = await client.call_tool("read", {"url": "file:///etc/passwd"})
            assert file.is_error
            assert "not an http or https address" in file.content[0].text
            private = await client.call_tool("read", {"url": "http://127.0.0.1:8080/"})
            assert private.is_error
            unknown = await client.call_tool("extract", {"pages": 1})
            assert unknown.is_error
            assert "unknown field `pages`" in unknown.content[0].text
            with pytest.raises(mcp.MCPError, match="no tool 'nothing'"):
                await client.call_tool("nothing", {})
            assert not (await client.call_tool("sites", {})).is_error

    asyncio.run(work())


def test_long_answers_are_cut_and_say_so(sessions: Path) -> None:
    async def work() -> None:
        async with connect(sessions, "story.html", "--most-chars", "2000") as client:
            answer = await client.call_tool("read", {"page": 1, "parts": ["all"]})
            assert len(answer.content[0].text) <= 2000
            assert any("characters" in line for line in answer.structured_content["cut"])

    asyncio.run(work())


def test_every_tool_has_arguments_that_describe_themselves() -> None:
    tools = list_tools(allow_changes=True)
    assert set(tools) == {one.tool for one in all_operations() if one.tool}
    for tool in tools.values():
        assert tool.description
        assert "#/components" not in json.dumps(tool.schema)
        assert set(tool.schema["properties"]) == {one.name for one in msgspec.structs.fields(tool.operation.wanted)}


def test_tools_without_changes_only_read() -> None:
    assert not any(tool.changes for tool in list_tools(allow_changes=False).values())


def test_a_tool_refuses_in_words(tmp_path: Path) -> None:
    state = make_state(tmp_path, [])
    outcome = call_tool(state, list_tools(allow_changes=False)["read"], {"page": 7})
    assert outcome.is_error
    assert outcome.text == "there is no page 7 at hand"


@pytest.mark.parametrize("most", [100, 500, 5_000])
def test_what_is_cut_fits_and_keeps_its_form(most: int) -> None:
    value = {"text": "wort " * 2_000, "rows": [{"name": f"row {number}"} for number in range(3_000)]}
    shortened = fit(value, most)
    assert len(json.dumps(shortened, ensure_ascii=False, separators=(",", ":"))) <= most
    assert shortened["cut"]
    assert set(shortened) <= {"text", "rows", "cut"}
    assert fit({"text": "short"}, most) == {"text": "short"}


def test_a_list_that_fits_is_kept_whole_beside_a_text_that_is_cut() -> None:
    shortened = fit({"text": "wort " * 2_000, "rows": [1, 2, 3]}, 500)
    assert shortened["rows"] == [1, 2, 3]
    assert [line.partition(":")[0] for line in shortened["cut"]] == ["text"]


def test_without_the_package_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "mcp.py").write_text("raise ImportError('not here')")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-m", "scythe", "mcp"],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr == "scythe: `scythe mcp` needs the package mcp: pip install 'webscythe[mcp]'\n"
