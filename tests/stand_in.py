"""Stand in for `scythe` where documents are tried out: the same command runs, on this machine instead of the web.

Documents speak of example.org, of a database server and of files that a reader has. Here those addresses become ones of
servers on loopback, files that are missing come from a pantry, crawls are short, and what would run until it is
interrupted is interrupted as soon as it is ready. Everything else of the command is what the document says.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

from scythe.cli.main import run as run_command

_ADDRESS = re.compile(
    r"(?:https?://)?(?:[a-z]+\.)?(?:example\.(?:org|net|com)|wikipedia\.org|localhost:8000|127\.0\.0\.1:8000)(/\S*)?\Z"
)
_LISTS = ("/news", "/politics", "/jobs", "/x")
_PAGES = 14  # enough to learn a site
_PRIVATE = {"read", "records", "learn", "crawl", "watch", "suggest", "annotate", "ui", "check"}
_NO_PAUSE = {"records", "learn", "crawl", "watch", "suggest"}
_KIND = re.compile(r"\.(?:html|json|db|warc\.gz|csv|txt)\Z")
_READY_S = 60.0
_ELSEWHERE = {"demo": "tests/demo"}  # takes long; what is written to a folder is short
VARIABLE = "SCYTHE_STAND_IN"
PRICE = "€ 64.90"  # that one of the pages of the pantry shows


@dataclass(frozen=True)
class Places:
    """Where the things are that documents speak of."""

    site: str  # the address of a site with stories, a shop and lists
    story: str  # of one of its stories
    live: str  # of a list that grows
    sink: str  # takes whatever is posted
    database: str  # an empty one, or nothing where PostgreSQL is not installed
    pantry: str  # a folder with a file of each kind that documents take for granted

    def dump(self) -> str:
        return json.dumps(asdict(self))


def settle(arguments: Sequence[str], places: Places) -> list[str]:
    """Return the arguments with addresses, limits and pauses that suit a test."""
    verb, *rest = arguments
    settled = [verb]
    for before, word in zip((verb, *rest), rest, strict=False):
        if before in ("--limit", "--pages") and verb in ("crawl", "learn"):
            word = str(min(int(word), _PAGES))
        elif before == "--delay" or before == "--port":
            word = "0"
        elif before == "--host":
            word = "127.0.0.1"
        elif before in ("--site",) or (verb == "schedule" and _ADDRESS.match(word)):
            word = re.sub(r"https?://|/.*", "", places.live if verb == "schedule" else places.site)
        elif word.startswith("/shared/"):
            word = word.removeprefix("/")  # a folder that machines share
        elif word == "price=$12":
            word = f"price={PRICE}"
        elif before not in ("--contact", "--url", "--match", "--allow", "--deny"):
            word = _move(before, word, places)
        settled.append(word)
    return settled + _added(verb, settled)


def _move(before: str, word: str, places: Places) -> str:
    """Return the address here for one of the web, and any other word as it is."""
    if word.startswith("postgresql://"):
        return places.database
    if before == "--webhook":
        return places.sink
    found = _ADDRESS.match(word)
    if not found:
        return word
    path = found[1] or "/"
    if path.startswith(_LISTS) or before == "--forget":
        return places.live
    return places.site + "shop/" if path.startswith("/shop") else places.site if path == "/" else places.story


def _added(verb: str, settled: Sequence[str]) -> list[str]:
    """Return the options without which a command would be refused here, or would not end."""
    more = []
    if verb in _PRIVATE:
        more.append("--allow-private")
    if verb in _NO_PAUSE and "--delay" not in settled:
        more += ["--delay", "0"]
    if verb == "crawl" and "--limit" not in settled:
        more += ["--limit", str(_PAGES)]
    if verb == "watch" and not {"--once", "--queue", "--forget"} & set(settled):
        more.append("--once")
    if verb == "worker" and "--until-idle" not in settled:
        more.append("--until-idle")
    if verb in ("ui", "annotate") and "--no-browser" not in settled:
        more.append("--no-browser")
    return more


def fetch_missing(arguments: Sequence[str], pantry: Path) -> None:
    """Bring what a command reads and is not there from the pantry: a file with the same kind of name, or a folder."""
    if arguments[0] in ("schedule", "watch") and "--archive" not in arguments:
        _fetch_one(Path("watch.scythe.db"), pantry, is_folder=False)
    if arguments[0] == "annotate":  # labels name pages of this folder
        _fetch_one(Path("saved"), pantry, is_folder=True)
    if "--simulate" in arguments:
        _fetch_one(Path("meta.json"), pantry, is_folder=False)
    before = ""
    for word in arguments:
        is_output = before in ("-o", "--output", "--feed", "--report")
        is_new = before == "--archive" and arguments[0] in ("crawl", "watch")
        if "://" not in word and not is_output and not is_new:
            _fetch_one(Path(word.rstrip("/")), pantry, is_folder=word.endswith("/"))
        before = word


def _fetch_one(path: Path, pantry: Path, *, is_folder: bool) -> None:
    if is_folder and not path.exists():
        shutil.copytree(pantry / "saved", path)
    found = _KIND.search(path.name)
    if is_folder or not found or path.exists() or list(path.parent.glob(path.name)):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if "*" in path.name:
        shelf = pantry / "saved" if found[0] == ".html" else pantry
        for source in shelf.glob(f"*{found[0]}"):
            shutil.copy(source, path.parent)
    else:
        alike = pantry / path.name
        shutil.copy(alike if alike.exists() else next(pantry.glob(f"*{found[0]}")), path)


def run(arguments: Sequence[str], places: Places) -> int:
    """Run a command and return its exit code; a server is asked for its page and then interrupted."""
    command = [sys.executable, "-m", "scythe", *arguments]
    if (arguments[0] in _ELSEWHERE and "--save" not in arguments) or "ray" in arguments:
        sys.stdout.write(f"{_ELSEWHERE.get(arguments[0], 'tests/batch')} runs it\n")
        return 0
    if arguments[0] in ("export", "status") and places.database in arguments:  # it may be empty
        crawl = ["crawl", places.site, "--archive", places.database, "--quiet"]
        subprocess.run([*command[:3], *crawl, *_added("crawl", crawl)], check=True)
    if arguments[0] not in ("ui", "annotate") or {"--template", "--from"} & set(arguments):
        sys.argv = ["scythe", *arguments]
        run_command()
    serving = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        return _look_at(serving)
    finally:
        serving.kill()


def _look_at(serving: subprocess.Popen[str]) -> int:
    """Ask for the page of a server as a browser does, once it says where it is, then interrupt it; 0: all went well."""
    assert serving.stdout
    for line in serving.stdout:
        sys.stdout.write(line)
        found = re.search(r"scythe is at (http://\S+)", line)
        if found:
            with build_opener(HTTPCookieProcessor()).open(found[1], timeout=_READY_S) as answer:
                assert answer.status == 200
            serving.send_signal(signal.SIGINT)
            return 0 if serving.wait(_READY_S) in (0, 130) else 1
    return serving.wait(_READY_S) or 1


def main() -> None:
    places = Places(**json.loads(os.environ[VARIABLE]))
    arguments = sys.argv[1:]
    if arguments and not arguments[0].startswith("-"):
        arguments = settle(arguments, places)
        fetch_missing(arguments, Path(places.pantry))
    sys.exit(run(arguments, places))


if __name__ == "__main__":
    main()
