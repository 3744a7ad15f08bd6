"""What all tests share: skips are shown, and on CI a skip is a failure."""

import gc
import os
import shutil
import signal
import sys
import threading
from collections import Counter
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from tests.forked import Forked, serve_forked
from tests.postgres import address, command, find_programs, serve_postgres

ROOT = Path(__file__).resolve().parent.parent

# The same examples every time, so that a run says something about the change and not about its luck. `make explore`
# looks for new ones.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("explore", derandomize=False, deadline=None, print_blob=True)
settings.load_profile("explore" if os.environ.get("SCYTHE_EXPLORE") else "fixed")


def pytest_configure() -> None:
    """Let what tests start be interrupted: a run in the background ignores Ctrl-C, and its children would, too."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the source tree."""
    return ROOT


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="take present output as the new golden output")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    """True when golden files are to be rewritten."""
    return bool(request.config.getoption("--accept"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that at the end no process waits for another."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow") or item.get_closest_marker("fault"))
    items.sort(key=lambda item: slow[item.path] == 0)  # keeps the order of the files otherwise


def pytest_collection_finish() -> None:
    """Leave what was collected out of every later collection of garbage: with 10 000 tests, one takes half a second."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    skipped = len(terminalreporter.stats.get("skipped", []))
    terminalreporter.write_line(f"skipped tests: {skipped}")


@pytest.fixture(scope="session")
def forked() -> Iterator[Forked]:
    """A server that runs commands of scythe without starting Python for each."""
    with serve_forked() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_folder() -> Iterator[str]:
    """The folder of the socket of a PostgreSQL server that runs for this test run only."""
    pytest.importorskip("psycopg")
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: neither PATH nor /usr/lib/postgresql has initdb")
    with serve_postgres(programs) as folder:
        yield folder


_SCHEMAS = count(1)


@pytest.fixture
def postgres_url(postgres_folder: str) -> str:
    """The address of an empty schema, which is as good as a database and made in a tenth of the time."""
    name = f"test{next(_SCHEMAS)}"
    command(postgres_folder, f"CREATE SCHEMA {name}")
    return address(postgres_folder, name)


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an archive may be made, in each kind of database."""
    if request.param == "sqlite":
        return str(tmp_path / "archive.db")
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory, forked: Forked) -> Iterator[Any]:
    """Servers, and files of each kind that documents take for granted."""
    from tests.documents import fill_pantry, lay_out, open_places

    pantry = tmp_path_factory.mktemp("pantry")
    with open_places(pantry) as found:
        fill_pantry(pantry, found, forked)
        lay_out(pantry / "bin", pantry, forked)
        yield found


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forked: Forked) -> Path:
    """A folder with the examples of the source tree, where documents are tried out."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "activate").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join((str(forked.bin), str(Path(sys.executable).parent), os.environ["PATH"])))
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip into a failure on CI: there everything a test needs is installed, so a skip hides something."""
    report = yield
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped on CI: {report.longrepr}"
    return report
