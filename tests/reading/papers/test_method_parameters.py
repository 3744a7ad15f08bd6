"""Every published method with every parameter, through every door: one table."""

import json
from pathlib import Path

import pytest
from pyarrow.dataset import dataset
from tests.crawling.pages import write_page
from typer.testing import CliRunner

import scythe
from scythe.cli.main import app
from scythe.crawling.crawl import note_said, recall_methods
from scythe.engine.worker_process import SeenUrls, SiteLearner
from scythe.engine.worker_protocol import Job, SiteSetup
from scythe.errors import BadInput
from scythe.method_parameters import PARAMETERS, RECORD_NAMES, split_methods
from scythe.reading.papers.characters import Characters
from scythe.reading.papers.sentences import Sentences
from scythe.schedule.policies import POLICIES, make_policy
from scythe.watch_model import Goals
from scythe.watching.watch_options import ListOptions, WatchOptions

TEXTS = [name for name in PARAMETERS if name not in RECORD_NAMES and name not in POLICIES]
TABLE = [(name, each) for name in (*TEXTS, *RECORD_NAMES) for each in PARAMETERS[name]]
ITEMS = "".join(
    f'<li><a href="/{n}">Mill number {n}</a> <b>grinds rye</b> <i>since 19{n:02}</i></li>' for n in range(12)
)
PAGE = write_page(3).replace(b"</body>", f"<ul>{ITEMS}</ul></body>".encode())
URL = "https://mill.example/3"


def with_other(name: str, parameter: str) -> str:
    """Return a method with a value that is not the default, one that makes a difference on most pages."""
    values = {"minimum": 100_000 if name == "characters" else 900, "t1": 1, "t2": 0, "l": 50, "clusters": 2, "sigma": 9}
    values |= {"ahead": 40, "threshold": 0, "k": 1, "score": 1}
    return f"{name}:{parameter}={values[parameter]}"


@pytest.mark.parametrize(("name", "parameter"), TABLE, ids=lambda each: getattr(each, "name", each))
def test_a_parameter_is_heeded_everywhere_alike(name: str, parameter: object, tmp_path: Path) -> None:
    method = with_other(name, parameter.name)  # type: ignore[attr-defined]
    path = tmp_path / "page.html"
    path.write_bytes(PAGE)
    worker = SiteLearner(SiteSetup("mill.example", methods=(method,)), SeenUrls())
    kept = worker.extract(Job(worker.setup, URL, PAGE)).extracted
    assert kept is not None
    options = scythe.BatchOptions(methods=(method,), learn=False, processes=1, address="https://mill.example/")
    scythe.run_batch([str(path)], tmp_path / "out", options)
    (row,) = dataset(tmp_path / "out" / "documents").to_table().to_pylist()
    if name in RECORD_NAMES:
        expected = [region.to_dicts() for region in scythe.read_lists(PAGE, URL, method=method)]
        assert [region.to_dicts() for region in scythe.read(PAGE, URL, record_method=method).lists] == expected
        assert len(kept.lists) == len(expected)
        watched = worker.extract(Job(worker.setup, URL, PAGE, "list")).extracted
        assert watched is not None
        assert [region.to_dicts() for region in watched.lists] == expected
        records = dataset(tmp_path / "out" / "records").to_table() if expected else ()
        assert len(records) == sum(map(len, expected))
        done = CliRunner().invoke(app, ["records", str(path), "--method", method, "--all", "-f", "jsonl"])
        assert done.exit_code in (0, 1)
        assert len(done.stdout.splitlines()) == sum(map(len, expected))
    else:
        document = scythe.read(PAGE, URL, method=method)
        assert kept.text == (row["text"] or "") == document.text
        assert scythe.read(PAGE, URL, options=scythe.TextOptions(method=method)).text == document.text
        assert scythe.Site.begin(("text",), method=method).extract(PAGE, URL).text == document.text
        done = CliRunner().invoke(app, ["read", str(path), "--method", method, "-f", "jsonl"])
        assert json.loads(done.stdout)["text"] == document.text


def test_parameters_make_a_difference() -> None:
    for method, least in (("sentences", 900), ("characters", 100_000)):
        assert scythe.read(PAGE, method=method).text
        assert not scythe.read(PAGE, method=f"{method}:minimum={least}").text
    assert len(scythe.read_lists(PAGE, method="mdr")) > 0


def test_a_method_may_be_an_object() -> None:
    for made, name in (
        (Sentences(minimum=2), "sentences:minimum=2"),
        (Characters(minimum=90), "characters:minimum=90"),
    ):
        assert scythe.read(PAGE, method=made).text == scythe.read(PAGE, method=name).text


@pytest.mark.parametrize("name", [*TEXTS, *RECORD_NAMES, "ses"])
def test_a_wrong_parameter_is_answered_with_those_there_are(name: str) -> None:
    def call(method: str) -> None:
        if name == "ses":
            make_policy(method, Goals())
        elif name in RECORD_NAMES:
            scythe.read_lists(PAGE, method=method)
        else:
            scythe.read(PAGE, method=method)

    for parameter in PARAMETERS[name]:
        listed = rf"{parameter.name}={parameter.default:g} \({parameter.section}\)"
        with pytest.raises(BadInput, match=rf"'nothing=1' is no parameter; {name} has .*{listed}"):
            call(f"{name}:nothing=1")
        with pytest.raises(BadInput, match=rf"{parameter.name} is a .*number from .* in {parameter.section}"):
            call(f"{name}:{parameter.name}=-1")
        with pytest.raises(BadInput, match=rf"expected one of .*{listed}"):
            call(f"{name}x")


@pytest.mark.parametrize("name", ["auto", "cetd"])
def test_a_method_without_parameters_says_so(name: str) -> None:
    with pytest.raises(BadInput, match=f"{name} has none"):
        scythe.read(PAGE, method=f"{name}:x=1")


def test_one_method_for_the_text_and_one_for_lists() -> None:
    assert split_methods(()) == ("auto", "auto")
    assert split_methods(("stm:score=.9", "vsse")) == ("vsse", "stm:score=.9")
    for options in (scythe.CrawlOptions, scythe.BatchOptions, WatchOptions):
        with pytest.raises(BadInput, match="one method for the text and one for the lists"):
            options(methods=("vsse", "cetr"))
        with pytest.raises(BadInput, match="unknown text method"):
            options(methods=("vssee",))


def test_a_site_learned_by_a_method_cuts_what_it_keeps_and_reads_the_rest_by_it(tmp_path: Path) -> None:
    shop = "".join(f'<li><a href="/{n}">Sickle number {n}, forged</a> <b>{n} coins</b></li>' for n in range(60))
    story = "".join(f"<p>Sentence {n} is long. It has a second one. It ends.</p>" for n in range(9))
    note = '<div class="aside"><p>Alone here.</p></div>'
    pages = [
        f'<title>{n}</title><h1>Day {n}</h1><div class="story">{story}<p>The {n}th day was dry.</p></div>{note * n}'
        for n in range(1, 9)
    ]
    for number, page in enumerate(pages):
        (tmp_path / f"{number}.html").write_text(page)
    method = "sentences:minimum=3"
    arguments = ["learn", str(tmp_path), "-o", str(tmp_path / "site.json"), "--field", "text", "--method", method]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    site = scythe.Site.load(tmp_path / "site.json")
    assert site.profile.method == method
    cut = site.extract(pages[0].replace("dry", "wet").encode())
    assert cut.fields["text"].how.startswith("cut")
    assert "Sentence 8 is long." in cut.text
    assert "Alone here." not in cut.text
    other = f"<title>Shop</title><ul>{shop}</ul><div><p>{'It rains. ' * 5}</p></div>"
    assert site.extract(other.encode()).text == scythe.read(other, method=method).text
    wrong = site.to_json().replace(method, "sentencs")
    with pytest.raises(BadInput, match=r"profile, line \d+: unknown text method 'sentencs'"):
        scythe.Site.from_json(wrong)
    with pytest.raises(BadInput, match="unknown text method"):
        scythe.Site.learn([(None, pages[0])], method="mdr")


def test_methods_stay_with_a_site() -> None:
    setup = SiteSetup("mill.example", methods=("sentences:minimum=2", "mdr:k=3"))
    assert recall_methods(note_said("{}", None, setup.methods)) == setup.methods
    assert recall_methods(note_said("{}", ("text",), None)) is None
    assert recall_methods('{"methods": ["of a later version"]}') is None


def test_a_policy_has_its_parameter_in_watches_and_what_it_learned_is_its_own() -> None:
    policy = make_policy("ses:alpha=.25", Goals())
    assert policy.alpha == 0.25  # type: ignore[attr-defined]
    assert policy.to_plain()["policy"] == "ses:alpha=.25"  # type: ignore[attr-defined]
    assert make_policy("ses", Goals()).alpha == 0.5  # type: ignore[attr-defined]
    assert ListOptions.from_json(ListOptions(policy="ses:alpha=.25").to_json()).policy == "ses:alpha=.25"


def test_a_crawl_reads_by_the_method_and_keeps_it(tmp_path: Path) -> None:
    from tests.fetch.server import by_path, page, serve

    link = b'<a href="/2">two</a></body>'
    pages = {"/": page(PAGE.replace(b"</body>", link)), "/2": page(PAGE)}
    with serve(by_path(pages)) as server:
        for methods in (("sentences:minimum=900",), None):
            options = scythe.CrawlOptions(
                limit=5, delay=0, sitemaps=False, allow_private=True, methods=methods, refresh=methods is None
            )
            archive = str(tmp_path / "mill.db")
            texts = [document.text for document in scythe.crawl(server.url(), archive=archive, options=options)]
            assert set(texts) <= {""}
