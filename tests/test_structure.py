"""What holds the code together: stages, names, sizes, dependencies, words that must not occur."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import scythe

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "src" / "scythe").rglob("*.py"))
BASE = """
_native atomic_files crawl_model errors extension limits memory method_parameters model package_files plugins url
version watch_model
""".split()
# The house from its ground up: a folder imports only what stands on a lower line.
HOUSE = """
fetch
page
reading
reader
site
schedule
archive
output
engine
crawling
watching
aio batch scrapy testing workers
demo
web
cli
__main__
"""
FLOOR = {name: floor for floor, line in enumerate(HOUSE.strip().splitlines(), 1) for name in line.split()} | {"base": 0}
MODULE_LINES = 900
# Imported by name at run time only where a caller asked for them; never needed to import scythe.
EXTRAS_IN = set("archive base batch cli crawling engine fetch output page schedule scrapy site web workers".split())


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports_of(path: Path) -> tuple[str, ...]:
    """Return the full name of everything a module imports, wherever the statement stands."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part_of(module: str) -> str:
    """Return the folder or `base` a module belongs to; the package itself is `public`."""
    parts = module.split(".")
    if len(parts) == 1:
        return "public"
    return "base" if parts[1] in BASE else parts[1]


def test_every_part_of_the_package_has_its_place() -> None:
    parts = {part_of(module_name(path)) for path in SOURCES}
    assert parts <= {"public", *FLOOR}


def test_folders_import_only_downwards() -> None:
    """Messages read `module imports target`: it stands above, or beside."""
    wrong = []
    for path in SOURCES:
        own = part_of(module_name(path))
        if own == "public":
            continue
        for target in imports_of(path):
            if target.split(".")[0] != "scythe":
                continue
            other = part_of(target)
            if other != own and (other == "public" or FLOOR[other] >= FLOOR[own]):
                wrong.append(f"{module_name(path)} imports {target}")
    assert wrong == []


def test_few_modules_have_one_importer_in_their_own_folder() -> None:
    """Such a module belongs into its importer, unless it is a concept of its own: so a few may stay."""
    modules = {module_name(path) for path in SOURCES}
    importers: dict[str, set[str]] = {}
    for path in SOURCES:
        for target in imports_of(path):
            found = target if target in modules else target.rpartition(".")[0]
            if found in modules and found != module_name(path):
                importers.setdefault(found, set()).add(module_name(path))
    single = [
        module
        for module, by in importers.items()
        if len(by) == 1 and module.rpartition(".")[0] == next(iter(by)).rpartition(".")[0] != "scythe"
    ]
    assert len(single) <= 40, sorted(single)


# A verb or an area of the web page may be called like what it is about.
NAMED_AFTER_THEIR_SUBJECT = ("scythe.cli.", "scythe.web.")


def test_a_name_of_a_module_is_used_once() -> None:
    homes: dict[str, list[str]] = {}
    for path in SOURCES:
        module = module_name(path)
        if not path.stem.startswith("__") and not module.startswith(NAMED_AFTER_THEIR_SUBJECT):
            homes.setdefault(path.stem, []).append(module)
    assert [modules for modules in homes.values() if len(modules) > 1] == []


def test_a_name_of_a_class_is_used_once() -> None:
    homes: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(module_name(path))
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def test_third_party_imports_are_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core = set(map(_requirement_name, project["dependencies"]))
    extras = {_requirement_name(item) for group in project["optional-dependencies"].values() for item in group}
    known = packages_distributions()
    wrong = []
    for path in SOURCES:
        declared = core | extras if part_of(module_name(path)) in EXTRAS_IN else core
        for top in {target.split(".")[0] for target in imports_of(path)}:
            if top in sys.stdlib_module_names or top in ("scythe", "compression"):  # the latter from Python 3.14 on
                continue
            names = {_requirement_name(name) for name in known.get(top, [])}
            names |= {name for name in declared if name.partition("-")[0] == top}  # extras need not be installed here
            if not names & declared:
                wrong.append(f"{module_name(path)} imports {top}, which pyproject.toml does not declare for it")
    assert wrong == []


def _requirement_name(requirement: str) -> str:
    return re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0].lower().replace("_", "-").replace(".", "-")


def test_modules_are_short() -> None:
    lines = {module_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {name: count for name, count in lines.items() if count > MODULE_LINES} == {}


def test_modules_say_what_they_are_for() -> None:
    assert [module_name(path) for path in SOURCES if not ast.get_docstring(tree_of(path))] == []


def test_names_say_what_a_module_holds() -> None:
    vague = {"utils", "util", "helpers", "common", "misc", "data", "info", "process", "handle"}
    assert [module_name(path) for path in SOURCES if path.stem in vague] == []


def test_data_never_becomes_code() -> None:
    """No pickle and friends, no eval and exec, no shell: data must not be able to name code."""
    wrong = [f"{module_name(path)}: {found}" for path in SOURCES for found in _code_from_data(path)]
    assert wrong == []


def _code_from_data(path: Path) -> Iterator[str]:
    forbidden = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal", "yaml"}
    yield from (f"imports {target}" for target in imports_of(path) if target.split(".")[0] in forbidden)
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in {"eval", "exec", "compile", "__import__"}:
                yield f"line {node.lineno}: {node.func.id}"
        if isinstance(node, ast.keyword) and node.arg == "shell":
            yield f"line {node.value.lineno}: a shell"


@pytest.mark.parametrize("code", ["import pickle", "eval('1')", "run(x, shell=True)", "from yaml import load"])
def test_code_from_data_would_be_seen(tmp_path: Path, code: str) -> None:
    (tmp_path / "one.py").write_text(code)
    assert list(_code_from_data(tmp_path / "one.py"))


NETWORKS = """
aiohttp ftplib http.client httpcore httpx imaplib multiprocessing.connection nntplib paramiko playwright poplib pycurl
requests selenium smtplib socket ssl telnetlib urllib.request urllib3 webbrowser websockets xmlrpc
""".split()
DIALLING = set("create_connection create_datagram_endpoint open_connection sock_connect urlopen urlretrieve".split())


def test_only_fetch_opens_sockets() -> None:
    for path in SOURCES:
        if part_of(module_name(path)) != "fetch":
            reached = {target for target in imports_of(path) if any(f"{target}.".startswith(f"{n}.") for n in NETWORKS)}
            if module_name(path) == "scythe.cli.ui":
                reached -= {"webbrowser"}  # shows the person the page that is served here
            assert not reached, f"{module_name(path)} reaches the network by itself: {reached}"


def test_nothing_dials_but_the_connector_behind_the_guard() -> None:
    made = {"ClientSession": "scythe.fetch.fetcher", "TCPConnector": "scythe.fetch.connections"}
    made |= {"socket.socket": "scythe.fetch.guard", "launch": "scythe.fetch.browser"}
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, ast.Attribute):
                continue
            assert node.attr not in DIALLING, f"{path.name}:{node.lineno} dials by itself"
            whole = ast.unparse(node)
            for name, home in made.items():
                if whole == name or whole.endswith(f".{name}"):
                    assert module_name(path) == home or _is_annotation(path, node), (
                        f"{path.name}:{node.lineno}: {whole}"
                    )


def _is_annotation(path: Path, node: ast.Attribute) -> bool:
    """Tell whether a name only says what something is: it is neither called nor inherited from."""
    tree = tree_of(path)
    used = [call.func for call in ast.walk(tree) if isinstance(call, ast.Call)]
    used += [base for one in ast.walk(tree) if isinstance(one, ast.ClassDef) for base in one.bases]
    return not any(
        isinstance(one, ast.Attribute) and one.lineno == node.lineno and one.attr == node.attr for one in used
    )


def tracked_files() -> list[Path]:
    """Return the files under version control, or all text files where there is no git (a source archive)."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    names = [name for name in listed.stdout.decode().split("\0") if name] if listed.returncode == 0 else []
    paths = [ROOT / name for name in names] or [path for path in (ROOT / "src").rglob("*") if path.is_file()]
    return [path for path in paths if path.is_file()]


def test_no_file_names_a_path_of_one_machine() -> None:
    # spelled in pieces, so that this file passes its own test
    pattern = re.compile(rb"(?:/" + rb"home/[a-z]|/" + rb"Users/[A-Za-z]|/" + rb"work/(?:main|shared)|/" + rb"root/)")
    for path in tracked_files():
        found = pattern.search(path.read_bytes())
        assert found is None, f"{path.relative_to(ROOT)}: {found and found[0]!r}"


def test_public_names_are_sorted_and_exist() -> None:
    assert scythe.__all__ == sorted(scythe.__all__)
    assert all(hasattr(scythe, name) for name in scythe.__all__)


def test_public_names_are_those_of_the_reference() -> None:
    """docs/reference/api.md has one heading of the form ### `name` for each public name."""
    text = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    listed = re.findall(r"^#{2,4} `(?:scythe\.)?(\w+)", text, re.MULTILINE)
    assert sorted(set(listed) & set(scythe.__all__)) == sorted(scythe.__all__)


def test_importing_scythe_opens_no_model_and_no_client() -> None:
    code = "import sys, scythe; print([m for m in ('aiohttp', 'typer', 'rich', 'torch') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_read_is_the_function_whatever_was_imported_first() -> None:
    code = "import scythe.reading.text, scythe.cli.main, scythe; print(callable(scythe.read))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
