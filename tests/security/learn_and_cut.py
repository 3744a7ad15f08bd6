"""Read, learn, save, load and cut pages by themselves: `python learn_and_cut.py ARCHIVE`.

It is run under audit (audited.py). With ordinary pages first, which loads all that is loaded late; from then on no code
may be made or run at all, whatever the hostile pages, files and archives say.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.security.hostile import CODE, hostile_page

import scythe
from scythe.archive.open import open_archive
from scythe.errors import ScytheError
from scythe.output.archive_export import export_archive

_ENGINES = ("exec", "compile", "marshal.loads", "pickle.find_class", "import", "os.system", "subprocess.Popen")
seen: list[str] = []
is_armed = False


def note(event: str, arguments: tuple[object, ...]) -> None:
    """Write down what makes or runs code, once everything is loaded."""
    if is_armed and event in _ENGINES:
        seen.append(f"{event}: {str(arguments)[:200]}")


def work(pages: list[str], archive: str, to: str) -> int:
    """Do with pages all that can be done with them; return how many documents came out."""
    given = [(f"https://site.example/story-{n}.html", page.encode()) for n, page in enumerate(pages)]
    read = [scythe.read(page, url=url) for url, page in given]
    for _, page in given[:3]:
        scythe.read_lists(page)
    learned = scythe.Site.learn(given[:8])
    learned.save(f"{to}.json")
    loaded = scythe.Site.load(f"{to}.json")
    cut = [loaded.extract(page, url=url) for url, page in given]
    for document in (*read, *cut):
        json.dumps(document.to_dict())
    refuse_profiles(Path(f"{to}.json").read_text(encoding="utf-8"), to)
    with open_archive(archive, create=False) as opened:
        for end in (".jsonl", ".csv", "-pages/"):
            export_archive(opened, f"{to}{end}")
    return len(read) + len(cut)


def refuse_profiles(profile: str, to: str) -> None:
    """Load profiles in which code stands where names and numbers do."""
    for place, code in enumerate(CODE):
        plain = json.loads(profile)
        keys = sorted(plain)
        plain[keys[place % len(keys)]] = code
        changed = Path(f"{to}-changed.json")
        changed.write_text(json.dumps(plain), encoding="utf-8")
        try:
            scythe.Site.load(changed)
        except ScytheError:
            pass


def main() -> None:
    """Work on ordinary pages, then on hostile ones; say what ran."""
    global is_armed
    sys.addaudithook(note)
    archive = sys.argv[1]
    plain = [hostile_page(number).replace("scytheCanary", "barley") for number in range(10)]
    work(plain, archive, "plain")
    is_armed = True
    count = work([hostile_page(number) for number in range(12)], archive, "hostile")
    is_armed = False
    print(json.dumps({"documents": count, "ran": seen}))


main()
