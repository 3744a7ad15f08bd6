"""Watch a list: every new record is archived once, and a command of yours is told of it."""

import shlex
import sys
import tempfile
from pathlib import Path

import scythe
from scythe.demo.serve import serve_live
from scythe.watching.hooks import HookOptions

# your command: new records come as JSON lines on its standard input
TELL = """
import json, sys
for line in sys.stdin:
    print(json.loads(line)["fields"]["title"], file=open(sys.argv[1], "a"))
"""

with serve_live(every_s=5.0) as site, tempfile.TemporaryDirectory() as folder:  # a list that grows
    told = Path(folder) / "titles.txt"
    command = shlex.join([sys.executable, "-c", TELL, str(told)])
    hooks = HookOptions(exec=(command,), feeds=(Path(folder) / "new.rss",), notify_first=True)
    where = Path(folder) / "watch.db"
    # once: visit what is due, then end; without it the watch goes on and visits when something new is due
    events = list(scythe.watch(site.urls, archive=where, once=True, allow_private=True, hooks=hooks))
    records = [event for event in events if event.kind == "record"]
    print(len(records) >= 12, len(told.read_text().splitlines()) == len(records))
    print("<rss" in (Path(folder) / "new.rss").read_text())

# Prints:
# True True
# True
