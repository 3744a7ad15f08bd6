"""Files that users keep: profiles, labels and traces, damaged; each is read, or refused with its name and a reason."""

import json
import lzma
from functools import cache

from tests.fuzz.audited import no_code
from tests.fuzz.groups.cut import profiles
from tests.fuzz.registry import STRUCTURED, Wrong, target
from tests.fuzz.seeds import folder
from tests.list_pages import shop_page

from scythe.errors import BadInput
from scythe.schedule.simulate import read_traces
from scythe.site.labels.label_files import read_labels
from scythe.site.profile import dump_profile, load_profile
from scythe.site.site import Site

NAME = "site.json"
PAGE = shop_page(7)


@cache
def profile_texts() -> tuple[bytes, ...]:
    """Return profile files as they are written."""
    return (*(dump_profile(profile).encode() for profile in profiles()), Site(profiles()[2]).to_json().encode())


def load(text: bytes) -> Site | None:
    """Load a profile, or return None where it is refused as it should be."""
    try:
        with no_code():
            load_profile(text, name=NAME)
        return Site.from_json(text.decode("utf-8-sig"))
    except BadInput as error:
        if NAME not in str(error) and "profile" not in str(error):
            raise Wrong(f"no name in {error}") from None
        if len(str(error)) > 2_000:
            raise Wrong("the reason is longer than anybody reads") from None
        return None


@target("file.profile", seeds=profile_texts, most_bytes=200_000)
def load_bytes(data: bytes) -> None:
    """Any bytes are a profile or refused."""
    load(data)


@target("file.profile-json", seeds=profile_texts, shape="json", kind=STRUCTURED, most_bytes=200_000)
def load_values(data: bytes) -> None:
    """A profile is checked value by value; one that loads can be written again and used."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        load(data)
        return
    site = load(json.dumps(content).encode())
    if site is None:
        return
    if Site.from_json(site.to_json()).to_json() != site.to_json():
        raise Wrong("what was loaded is written in another way")
    site.extract(PAGE, "https://shop.example/9", via="cut")
    site.extract(PAGE, "https://shop.example/9")


LABELS: dict[str, bytes] = {
    "a.csv": b"page,image,relevant,by\nhttps://example.org/1,/a.jpg,1,Ann\nhttps://example.org/1,#2,0,Ann\nx.html,,,\n",
    "b.csv": b"sep=;\npage;image\nhttps://example.org/1;'=a.jpg\n",
    "c.tsv": b'page\timage\tnote\nhttps://example.org/1\t"a\tb.jpg"\tz\n',
    "d.json": b'{"https://example.org/1": ["/a.jpg"], "x.html": {"relevant": ["#1"], "irrelevant": [], "by": "Ann"}}',
    "e.json": b'[{"page": "x.html", "image": "#1", "relevant": true, "by": null}, {"page": "y.html", "image": ""}]',
    "f.jsonl": b'{"page": "x.html", "image": "#1"}\n{"page": "x.html", "image": "/b.jpg", "relevant": 0}\n\n',
    "g.csv": "page,image\nhttps://example.org/ü,/a.jpg\n".encode("utf-16"),
}
LABEL_TOKENS = (*b', ; " #1 #0 relevant page image by sep=; 1 yes'.split(), b"\t", b"\r")


@cache
def label_files() -> tuple[bytes, ...]:
    """Return files of labels with a first byte for their names."""
    return tuple(bytes([number]) + body for number, body in enumerate(LABELS.values()))


@target("file.labels", seeds=label_files, tokens=LABEL_TOKENS)
@target("file.labels-lines", seeds=label_files, tokens=LABEL_TOKENS, shape="lines", kind=STRUCTURED)
def read_label_file(data: bytes) -> None:
    """Any bytes are labels or refused with the name of the file."""
    name = list(LABELS)[data[0] % len(LABELS) if data else 0]
    try:
        with no_code():
            labels = read_labels(data[1:], name)
    except BadInput as error:
        if name not in str(error):
            raise Wrong(f"no name in {error}") from None
        return
    for row in labels.rows:
        if not row.page or (row.image[:1] == "#" and not row.image[1:].isdecimal()):
            raise Wrong(f"a label of nothing: {row}")


TRACES = (
    b"site,unix_time\nnews,1700000000\nnews,1700003600.5\n",
    b"a,1700000000\nb,1700003600\nb,1700007200\n",
    lzma.compress(b"news,1700000000\nnews,1700003600\n"),
)


@target(
    "file.traces",
    seeds=lambda: TRACES,
    tokens=(b",", b"\n", b"e9", b"nan", b"inf", b"-"),
    shape="lines",
    kind=STRUCTURED,
)
def read_trace_file(data: bytes) -> None:
    """Any bytes are a trace or refused."""
    path = folder("files") / ("trace.csv" if len(data) % 2 else "trace.csv.xz")
    path.write_bytes(data)
    try:
        read_traces(path, 30)
    except BadInput as error:
        if path.name not in str(error):
            raise Wrong(f"no name in {error}") from None
