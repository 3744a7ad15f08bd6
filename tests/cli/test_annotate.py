"""Tables of labels go in and out of `scythe annotate` as non-experts would use them."""

import csv
import io
import json
import re
import signal
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.cli.test_ui import ask, ui
from tests.fetch.server import by_path, page, serve
from tests.mill_pages import BASE, address, tale
from typer.testing import CliRunner

from scythe.cli.annotate import LabelJob, _tell_conflicts, find_target
from scythe.cli.main import app
from scythe.fetch.fetch_options import FetchOptions
from scythe.model import SiteImages
from scythe.site.labels.annotators import Conflict
from scythe.site.profile import open_profile

URL = f"{BASE}/tales/"


class Done(NamedTuple):
    """What a command said."""

    stdout: str
    stderr: str


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """A folder with six saved pages."""
    (tmp_path / "saved").mkdir()
    for number in range(1, 7):
        (tmp_path / "saved" / f"{number}.html").write_text(tale(number), encoding="utf-8")
    return tmp_path


def annotate(sessions: Path, *arguments: str, code: int = 0) -> Done:
    with chdir(sessions):
        done = CliRunner().invoke(app, ["annotate", *arguments])
    assert done.exit_code == code, done.output
    return Done(done.stdout, " ".join(done.stderr.split()))


def write(sessions: Path, name: str, *rows: str, head: str = "page,image") -> str:
    (sessions / name).write_text("\n".join((head, *rows)), encoding="utf-8")
    return name


def known(sessions: Path, name: str = "mill.json") -> SiteImages:
    return open_profile(sessions / name).profile.images


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def labels(sessions: Path) -> str:
    return write(sessions, "labels.csv", *(f"{number}.html,/rules/{number}.jpg" for number in (1, 2, 3)))


def make(sessions: Path, *more: str) -> Done:
    return annotate(sessions, "saved", "--url", URL, "--from", labels(sessions), "-o", "mill.json", *more)


def test_a_table_is_written_corrected_and_learned_from(sessions: Path) -> None:
    done = annotate(sessions, "saved/1.html", "saved/2.html", "--template", "--url", URL, "-o", "labels.csv")
    assert "10 images of 2 pages written to labels.csv; correct the column relevant" in done.stdout
    rows = table(sessions / "labels.csv")
    assert list(rows[0]) == ["page", "image", "relevant", "score", "alt"]
    assert [row["image"].removeprefix(BASE) for row in rows[:3]] == ["/logo.png", "/plates/1.jpg", "/rules/1.jpg"]
    assert {row["relevant"] for row in rows} <= {"0", "1"}
    corrected = [row | {"relevant": str(int("/rules/" in row["image"]))} for row in rows]
    with (sessions / "labels.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(corrected)
    done = annotate(sessions, "saved", "--url", URL, "--from", "labels.csv", "-o", "mill.json", "--by", "Ann")
    assert done.stdout.splitlines()[0] == "2 pages by Ann: 10 images labelled, 2 relevant; written to mill.json"
    assert "expected quality: f " in done.stdout
    assert [each.marks[0].relevant for each in known(sessions).labelled] == [(2,), (2,)]


def test_a_table_is_written_to_standard_output_with_guesses_of_the_profile(sessions: Path) -> None:
    make(sessions, "--method", "tree")
    done = annotate(sessions, "mill.json", "--template", "saved/5.html", "--url", address(5))
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["relevant"] for row in rows] == ["0", "0", "1", "0", "0"]
    assert rows[1] == {
        "page": address(5),
        "image": f"{BASE}/plates/5.jpg",
        "relevant": "0",
        "score": "0.00",
        "alt": "Plate 5",
    }


def test_words_of_a_page_do_not_become_formulas(sessions: Path) -> None:
    text = tale(1).replace("Plate 1", "=HYPERLINK(1)").replace("/logo.png", "/rules/1.jpg")
    (sessions / "saved" / "-1.html").write_text(text, encoding="utf-8")
    annotate(sessions, "saved/-1.html", "--template", "--url", address(1), "-o", "labels.csv")
    rows = table(sessions / "labels.csv")
    assert rows[1]["alt"] == "'=HYPERLINK(1)"
    assert [row["image"][:2] for row in rows] == ["#1", "ht", "#3", "ht", "ht"]


def test_labels_of_a_known_page_need_no_page(sessions: Path) -> None:
    make(sessions, "--by", "Ann")
    write(sessions, "bo.csv", f"{address(1)},#2,1", f"{address(1)},#3,0", head="page,image,relevant")
    done = annotate(sessions, "mill.json", "--from", "bo.csv", "--by", "Bo", "--conflicts-out", "open.csv")
    assert "people do not agree on 2 images" in done.stderr
    assert "agreement: Ann, Bo: 0.0 % of 2 images, kappa -1.00" in done.stdout
    assert "conflicts: 2 images" in done.stdout
    assert table(sessions / "open.csv")[0] == {
        "page": address(1),
        "image": f"{BASE}/plates/1.jpg",
        "relevant": "",
        "by": "",
        "note": "relevant: Bo; not relevant: Ann",
    }


def test_conflicts_are_decided_by_filling_in_the_table_of_them(sessions: Path) -> None:
    ann = write(sessions, "ann.csv", "1.html,#2", "2.html,#2")
    bo = write(sessions, "bo.csv", "1.html,#3", "2.html,#2")
    given = ("saved", "--url", URL, "-o", "mill.json", "--conflicts-out", "open.csv")
    annotate(sessions, *given, "--from", ann, "--from", bo)
    assert [marks.by for marks in known(sessions).labelled[0].marks] == ["ann", "bo"]
    decided = (sessions / "open.csv").read_text(encoding="utf-8-sig").replace(".jpg,,,", ".jpg,no,Cy,", 1)
    (sessions / "open.csv").write_text(decided, encoding="utf-8")
    done = annotate(sessions, "mill.json", "saved", "--url", URL, "--from", "open.csv")
    assert "1 page by Cy: 1 image labelled, 0 relevant" in done.stdout


def test_of_many_conflicts_some_are_shown_and_the_file_has_them_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    conflicts = [Conflict(f"https://a.example/{number}", "#1", ("Ann",), ("", "Bo")) for number in range(25)]
    _tell_conflicts(conflicts, str(tmp_path / "open.csv"))
    said = " ".join(capsys.readouterr().err.split())
    assert "people do not agree on 25 images:" in said
    assert said.count("a.example") == 20
    assert said.endswith("5 more: --conflicts-out FILE has them all")
    assert [row["page"] for row in table(tmp_path / "open.csv")] == [one.page for one in conflicts]


def test_strictly_nothing_is_written_where_people_differ_or_a_label_is_lost(sessions: Path) -> None:
    ann, bo = write(sessions, "ann.csv", "1.html,#2"), write(sessions, "bo.csv", "1.html,#3")
    given = ("saved", "--url", URL, "-o", "mill.json", "--strict")
    done = annotate(sessions, *given, "--from", ann, "--from", bo, code=1)
    assert "no profile was written: people do not agree" in done.stderr
    done = annotate(sessions, *given, "--from", write(sessions, "cy.csv", "1.html,#2", "1.html,#77"), code=1)
    assert "no profile was written: not all labels could be used" in done.stderr
    assert not (sessions / "mill.json").exists()


def test_labels_not_found_are_named_and_the_rest_is_used(sessions: Path) -> None:
    write(
        sessions, "labels.csv", "1.html,#3", "1.html,/gone.jpg", "x.html,#1", "x.html,#2", "https://nowhere.invalid/,#1"
    )
    done = annotate(sessions, "saved", "--url", URL, "--from", "labels.csv", "-o", "mill.json")
    assert "scythe: x.html: unknown page 'x.html'; the first is 'saved/1.html'; 2 labels of it lost" in done.stderr
    assert "scythe: labels.csv:3: /gone.jpg of 1.html: not on the page, which has 5 images" in done.stderr
    assert "scythe: https://nowhere.invalid/: " in done.stderr
    assert "labelled in all: 1 page; labels not found: 4" in done.stdout


def test_without_any_usable_label_nothing_is_written(sessions: Path) -> None:
    many = write(sessions, "labels.csv", *(f"1.html,/gone{number}.jpg" for number in range(30)))
    done = annotate(sessions, "saved", "--url", URL, "--from", many, "-o", "mill.json", code=1)
    assert "10 more were not found" in done.stderr
    assert "no profile was written: no label could be used" in done.stderr
    assert not (sessions / "mill.json").exists()


def test_a_profile_is_made_from_the_pages_that_labels_name(sessions: Path) -> None:
    body = {f"/tales/{number}.html": page(tale(number).encode()) for number in (1, 2, 3)}
    with serve(by_path(body)) as server:
        base = server.url("")
        write(sessions, "labels.csv", *(f"{base}/tales/{number}.html,/rules/{number}.jpg" for number in (1, 2, 3)))
        done = annotate(sessions, "new.json", "--from", "labels.csv", "--allow-private")
    assert "3 pages: 15 images labelled, 3 relevant; written to new.json" in done.stdout
    assert len(open_profile(sessions / "new.json").profile.layouts) == 1


def test_a_site_is_sampled_where_only_its_address_is_given(sessions: Path) -> None:
    body = {f"/tales/{number}.html": page(tale(number).encode()) for number in range(1, 6)}
    with serve(by_path(body)) as server:
        base = server.url("")
        write(sessions, "labels.csv", f"{base}/tales/1.html,#3", f"{base}/tales/2.html,#3")
        start = f"{base}/tales/1.html"
        options = ("--allow-private", "--delay", "0", "-o", "mill.json")
        done = annotate(sessions, start, "--from", "labels.csv", *options)
    assert "2 pages: 10 images labelled, 2 relevant" in done.stdout


def test_files_beside_the_labels_are_found(sessions: Path) -> None:
    labelled = tale(1).replace('src="/', f'src="{BASE}/')
    (sessions / "far").mkdir()
    (sessions / "far" / "1.html").write_text(labelled, encoding="utf-8")
    write(
        sessions, "far/labels.json", head=json.dumps({"1.html": ["/rules/1.jpg"], "\x00": ["#1"], "a" * 5_000: ["#1"]})
    )
    done = annotate(sessions, "mill.json", "--from", "far/labels.json")
    assert "1 page: 5 images labelled, 1 relevant" in done.stdout


def test_what_a_person_says_again_replaces_what_was_said(sessions: Path) -> None:
    make(sessions, "--by", "Ann")
    again = write(sessions, "again.csv", f"{address(1)},#2")
    done = annotate(sessions, "mill.json", "saved", "--url", URL, "--from", again, "--by", "Ann")
    assert f"replaced: what Ann said of {address(1)} before" in done.stdout
    assert len(known(sessions).labelled) == 3


def test_learning_over_a_profile_keeps_its_labels(sessions: Path) -> None:
    make(sessions, "--method", "tree")
    with chdir(sessions):
        done = CliRunner().invoke(app, ["learn", "saved", "--url", URL, "-o", "mill.json"])
    assert "kept: the labels of images on 3 pages that mill.json had" in done.stdout
    assert len(known(sessions).labelled) == 3
    assert known(sessions).method == "tree"


def test_a_method_without_anything_to_learn_says_so(sessions: Path) -> None:
    none = write(sessions, "labels.csv", "1.html,", "2.html,")
    done = annotate(sessions, "saved", "--url", URL, "--from", none, "-o", "mill.json", "--method", "tree")
    assert "no model by tree: no image is marked as relevant" in done.stdout


def test_without_labels_the_web_page_opens_on_the_pages_given(sessions: Path) -> None:
    given = ("mill.json", "saved", "--url", URL, "--by", "Ann")
    with ui(sessions, *given, verb="annotate") as (process, url, token):
        session = ask(f"{url}/api/annotate", token)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    assert isinstance(session, dict)
    assert (session["by"], session["at_hand"], len(session["pages"])) == ("Ann", 6, 6)
    assert not (sessions / "mill.json").exists()


def test_a_site_opened_by_its_address_gets_a_profile_named_after_its_host(sessions: Path) -> None:
    job = LabelJob(f"{BASE}/tales/", [], None, FetchOptions(), 0.0)
    assert find_target(job, None) == Path("mill.example.json")
    assert find_target(job, "other.json") == Path("other.json")


def test_another_profile_than_the_one_given_begins_as_its_copy(sessions: Path) -> None:
    make(sessions)
    with ui(sessions, "mill.json", "saved", "--url", URL, "-o", "new.json", verb="annotate") as (process, url, token):
        session = ask(f"{url}/api/annotate", token)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    assert isinstance(session, dict)
    assert session["labelled"] == 3
    assert known(sessions, "new.json") == known(sessions)
    done = annotate(sessions, "mill.json", "saved", "-o", "new.json", code=2)
    assert "new.json already exists; to extend it, give it as SITE" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (
            ("mill.json", "--strict"),
            "--strict needs labels from --from FILE; without them images",
        ),
        (("saved",), "saved is not a profile; give the file to write with -o"),
        (
            ("mill.example",),
            "mill.example: no such profile; they end with .json, and the address of a site with https://",
        ),
        (("x.json", "none.html"), "there is no page to annotate"),
        (("broken.json", "saved"), "broken.json: not a profile of scythe"),
        (("mill.json", "saved", "--token", "short"), "a token has 16 characters or more"),
        (("mill.json", "--method", "guess"), "--method guess: expected one of relevance"),
        (("mill.json", "--template"), "--template needs pages"),
        (("saved", "--from", "labels.csv"), "saved is not a profile; give the file to write with -o"),
        (("mill.json", "--from", "none.csv"), "none.csv"),
        (("mill.json", "--from", "bad.csv"), "bad.csv:1: unknown column 'img'"),
        (
            ("mill.json", "--template", "none.html"),
            "there is no such profile yet; .* there is no page to make a table of",
        ),
        (("broken.json", "saved", "--from", "labels.csv"), "broken.json: not a profile of scythe"),
        (
            ("saved", "--from", "labels.csv", "-o", "x.json", "--method", "guess"),
            "--method guess: expected one of relevance",
        ),
        (("saved", "--from", "labels.csv", "-o", "x.json", "--url", "mill"), "--url expects an http or https address"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(sessions: Path, arguments: tuple[str, ...], why: str) -> None:
    labels(sessions)
    write(sessions, "bad.csv", head="page,img")
    write(sessions, "broken.json", head="{}")
    done = annotate(sessions, *arguments, code=2)
    assert re.search(why, done.stderr)
    assert not (sessions / "x.json").exists()
