import gzip
import json
import lzma
from pathlib import Path

import pytest
from bench.command import app
from bench.pages import Case, find_sets, load_set
from bench.scoring import Truth
from typer.testing import CliRunner

import scythe.reader
from bench import peers, text
from scythe.errors import BadInput, MissingExtra

FIVE = "One a. Two b. Three c. Four d. Five e."
ARTICLE = {"id": "article", "url": "https://example.org/a", "metric": "tokens", "html": f"<p>menu</p><div>{FIVE}</div>"}
ARTICLE |= {"gold": FIVE}
SHORT = {"id": "short", "url": None, "metric": "tokens", "html": "<p>Too short.</p>", "gold": "Too short."}
CHUNKS = {"id": "c", "metric": "chunks", "html": f"<div>{FIVE}</div>", "must": ["Two b."], "must_not": ["menu"]}


def write(path: Path, *rows: object) -> Path:
    body = "".join(json.dumps(row) + "\n" for row in rows).encode()
    pack = {".xz": lzma.compress, ".gz": gzip.compress}.get(path.suffix, bytes)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(pack(body))
    return path


def test_a_run_scores_each_method_on_each_set(tmp_path: Path) -> None:
    write(tmp_path / "text" / "small.jsonl.xz", ARTICLE, SHORT)
    write(tmp_path / "text" / "chunky.jsonl.gz", CHUNKS)
    scores = list(text.run(tmp_path, methods=["sentences", "characters"]))
    assert [(s.page_set, s.extractor) for s in scores] == [
        ("chunky", "sentences"),
        ("chunky", "characters"),
        ("small", "sentences"),
        ("small", "characters"),
    ]
    chunky, _, small, _ = scores
    assert (chunky.rates.f1, chunky.ea, chunky.sentences) == (1.0, None, None)
    # the article is exact; the short page has no five sentences, so its two tokens are missed
    assert small.rates.f1 == 0.5
    assert small.ea == 50.0
    assert small.sentences is not None
    assert (small.sentences.precision, small.sentences.recall) == (1.0, 5 / 6)
    assert (small.pages, small.empty, small.errors) == (2, 1, ())


def test_limit_reads_the_first_pages_and_worst_lists_the_lowest(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", ARTICLE, SHORT, SHORT)
    (score,) = text.run(path, methods=["sentences"], limit=2, worst=1)
    assert score.pages == 2
    assert [(page.id, page.f1) for page in score.worst] == [("short", 0.0)]


def test_an_extractor_that_raises_loses_the_page_not_the_run() -> None:
    def fail(html: str, url: str | None) -> str:
        raise RuntimeError("x" * 500)

    outcome = text.try_page(fail, Case("p", None, "<p>a", Truth("tokens", gold="a")))
    assert outcome.empty
    assert outcome.error.startswith("p: RuntimeError")
    assert len(outcome.error) == text.ERROR_CHARS
    assert outcome.f1 == 0.0


def test_a_method_can_be_named_by_module_and_function(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", ARTICLE)
    (score,) = text.run(path, methods=["bench.variants:sentences_printed"])
    assert score.rates.f1 == 1.0
    for name in ("no_such_module:read", "scythe.reading.papers.sentences:no_such_function", ":read"):
        with pytest.raises(BadInput, match="cannot be imported"):
            list(text.run(path, methods=[name]))


def test_the_default_method_is_scored_as_users_run_it() -> None:
    html = f"<title>T</title><p>menu</p><div>{FIVE * 3}</div>"
    assert text.extract_by(text.DEFAULT)(html, None) == scythe.reader.read(html).text


@pytest.mark.parametrize("name", peers.PEERS)
def test_each_installed_peer_finds_the_article(name: str, tmp_path: Path) -> None:
    if name not in peers.installed():
        with pytest.raises(MissingExtra, match="bench"):
            peers.peer(name)
        pytest.skip(f"{name} is not installed")
    paragraph = "<p>Reapers walked the field before dawn. They cut the barley, bound it, and set it up to dry.</p>"
    html = f"<html><body><article><h1>Harvest</h1>{paragraph * 8}</article></body></html>"
    assert "set it up to dry" in peers.peer(name)(html, "https://example.org/")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "JSONDecodeError"),
        ("[]", "expected an object"),
        ('{"metric": "taste"}', "taste"),
        ('{"metric": "tokens", "html": "x"}', "gold"),
        ('{"metric": "chunks", "html": "x", "must": []}', "must_not"),
    ],
)
def test_a_bad_line_is_named_with_its_place(line: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps(SHORT) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(BadInput, match=f"after 2 lines.*{complaint}"):
        load_set(path)


def test_missing_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no file"):
        find_sets(tmp_path / "none")
    with pytest.raises(BadInput, match="holds no page sets"):
        find_sets(tmp_path)
    (tmp_path / "a.csv").write_text("x", encoding="utf-8")
    with pytest.raises(BadInput, match="no page set"):
        find_sets(tmp_path / "a.csv")


def test_the_command_prints_a_table_and_the_machine(tmp_path: Path) -> None:
    path = write(tmp_path / "small.jsonl", ARTICLE, SHORT)
    result = CliRunner().invoke(app, ["text", "--data", str(path), "--method", "sentences", "--worst", "1"])
    assert result.exit_code == 0, result.output
    for part in ("small (2 pages)", "sentF1", "sentences  0.500", "0.000 +0 -2 short", "Python 3."):
        assert part in result.output
