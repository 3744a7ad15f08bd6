"""Labels are read from tables and JSON as people write them, or refused with file and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.site.labels.label_files import Label, Labels, open_labels, read_labels

ROWS = [("a.html", "1.jpg", "1"), ("a.html", "2.jpg", "0"), ("b.html", "", "")]
WANTED = (
    Label("a.html", "1.jpg", True, "", 2),
    Label("a.html", "2.jpg", False, "", 3),
    Label("b.html", "", False, "", 4),
)


def table(text: str, by: str = "") -> Labels:
    return read_labels(text.encode(), "labels.csv", by)


def said(labels: Labels) -> list[tuple[str, str, bool]]:
    return [(label.page, label.image, label.relevant) for label in labels.rows]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_table_is_read_as_any_spreadsheet_writes_it(separator: str, ending: str, encoding: str) -> None:
    lines = [separator.join(row) for row in [("page", "image", "relevant"), *ROWS]]
    assert read_labels(ending.join(lines).encode(encoding), "labels.csv").rows == WANTED


@pytest.mark.parametrize("yes", ["1", "true", "TRUE", "yes", "Y", "x", "X ", "1.0"])
@pytest.mark.parametrize("no", ["0", "false", "No", "n", "0.0"])
def test_yes_and_no_may_be_written_in_several_ways(yes: str, no: str) -> None:
    labels = table(f"page,image,relevant\na,1,{yes}\na,2,{no}\n")
    assert [label.relevant for label in labels.rows] == [True, False]


def test_without_a_column_relevant_every_image_named_is_relevant() -> None:
    labels = table("page,image\na.html,1.jpg\na.html,#2\nb.html,\n")
    assert said(labels) == [("a.html", "1.jpg", True), ("a.html", "#2", True), ("b.html", "", False)]


def test_an_empty_cell_says_nothing_of_an_image() -> None:
    assert said(table("page,image,relevant\na,1,\na,2,1\n,,\n\n")) == [("a", "2", True)]


def test_a_table_without_names_of_columns_is_read_when_it_can_only_be_meant_in_one_way() -> None:
    labels = table("https://a.example/x,https://a.example/1.jpg\nhttps://a.example/x,/2.jpg\n")
    assert [(label.image, label.line) for label in labels.rows] == [("https://a.example/1.jpg", 1), ("/2.jpg", 2)]
    assert said(table("a.html;#1;no")) == [("a.html", "#1", False)]
    with pytest.raises(BadInput, match=r"labels\.csv:1: the first line must name the columns"):
        table("https://a.example/x;y=1/2,https://a.example/1.jpg\n")


def test_columns_may_stand_in_any_order_and_people_may_have_some_of_their_own() -> None:
    labels = table("alt,Relevant,by,image,page,score,note,\n=HYPERLINK,1,Ann,1.jpg,a.html,0.5,nice,\n")
    assert labels.rows == (Label("a.html", "1.jpg", True, "Ann", 2),)


def test_a_spreadsheet_may_name_its_separator_and_leave_lines_empty() -> None:
    labels = table("sep=;\n\npage;image\na,b.html;1.jpg\n")
    assert labels.rows == (Label("a,b.html", "1.jpg", True, "", 4),)


def test_quotes_hold_separators_and_lines_together() -> None:
    labels = table('page,image,note\n"a,b","1 ""x"".jpg","two\nlines"\nc,2.jpg,\n')
    assert [(label.page, label.image, label.line) for label in labels.rows] == [
        ("a,b", '1 "x".jpg', 3),
        ("c", "2.jpg", 4),
    ]


def test_the_apostrophe_that_kept_a_cell_from_being_calculated_is_taken_off() -> None:
    assert said(table("page,image\n'-a.html,'@1.jpg\n'b.html,1.jpg")) == [
        ("-a.html", "@1.jpg", True),
        ("'b.html", "1.jpg", True),
    ]


def test_who_made_the_labels_is_said_by_a_column_or_for_the_whole_file() -> None:
    labels = table("page,image,by\na,1,Ann\na,2,\n", by="Bo")
    assert [label.by for label in labels.rows] == ["Ann", "Bo"]


def test_a_label_that_is_there_twice_counts_once() -> None:
    assert len(table("page,image,relevant\na,1,1\na,1,yes\na,2,0\na,2,0\n").rows) == 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "page,image,relevant\na,1.jpg,1\n\na,1.jpg,0\n",
            r":4: 1\.jpg of a is not relevant, but in labels\.csv:2 .*same",
        ),
        ("page,image,by\na,1,Ann\na,,Ann\n", r":3: no image of a is relevant, but in labels\.csv:2 Ann says 1 of a"),
        ("page,image,relevant\na,,1\n", ":2: says that an image is relevant, but not which"),
        ("page,image,relevant\na,1,maybe\n", ":2: relevant must be 1 or 0.*'maybe'"),
        ("page,image\n,1.jpg\n", ":2: the page is missing"),
        ("page,image\na,#0\n", ":2: the number of an image"),
        ("page,image\na,#x\n", ":2: the number of an image"),
        ("page,image,relevent\na,1,1\n", ":1: unknown column 'relevent'; expected one of page, image, relevant, by"),
        ("page,image,image\na,1,1\n", ":1: there are two columns image"),
        ("page,relevant\na,1\n", ":1: the column image is missing"),
        ("page,image\na,1,0\n", ":2: 3 cells, but the columns are page, image"),
        ('page,image\na,"1"2\n', ":2: "),
        ("pages,images\na,1\n", ":1: the first line must name the columns"),
        ("\n\n  \n", "there are no labels"),
        ("", "there are no labels"),
        (f"page,image\na,{'x' * 9_000}\n", ":2: image has 9000 characters"),
        (f"page,image\na,{'x' * 200_000}\n", ":2: field larger than field limit"),
        (f"page,image,by\na,1,{'x' * 300}\n", ":2: the name of a person"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(text: str, why: str) -> None:
    with pytest.raises(BadInput, match=rf"^labels\.csv.*{why}"):
        table(text)


def test_two_people_may_contradict_each_other() -> None:
    assert len(table("page,image,relevant,by\na,1,1,Ann\na,1,0,Bo\n").rows) == 2


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"PK\x03\x04...", "this is a spreadsheet; save it as CSV"),
        (b"page,image\na,\x00\x01\n", ":2: not a text file"),
        ("page,image\nfür.html,ä.jpg".encode("latin-1"), ":2: not UTF-8; save it as CSV, encoded in UTF-8"),
        (b"\xff\xfep\x00a", "cut or damaged"),
    ],
)
def test_files_of_another_kind_are_refused(body: bytes, why: str) -> None:
    with pytest.raises(BadInput, match=rf"^labels\.csv.*{why}"):
        read_labels(body, "labels.csv")


JSON_FORMS = [
    {"a": ["1", "2"], "b": []},
    {"a": {"relevant": ["1", "2"]}, "b": {}},
    [{"page": "a", "image": "1"}, {"page": "a", "image": "2", "relevant": True}, {"page": "b", "image": ""}],
]


@pytest.mark.parametrize("form", JSON_FORMS)
def test_json_says_the_same_in_several_forms(form: object) -> None:
    labels = read_labels(json.dumps(form).encode(), "labels.json")
    assert said(labels) == [("a", "1", True), ("a", "2", True), ("b", "", False)]


def test_json_may_name_what_is_not_relevant_and_who_says_so() -> None:
    labels = read_labels(b'{"a": {"relevant": ["1"], "irrelevant": ["#2"], "by": "Ann"}}', "labels.json")
    assert labels.rows == (Label("a", "1", True, "Ann", 1), Label("a", "#2", False, "Ann", 1))


def test_json_lines_are_objects_with_their_lines() -> None:
    body = b'{"page": "a", "image": "1", "relevant": 0, "by": "Ann"}\n\n{"page": "a", "image": "2", "relevant": null}\n'
    assert read_labels(body, "labels.jsonl").rows == (Label("a", "1", False, "Ann", 1),)


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("l.json", "{", r"l\.json: not JSON: .* in column"),
        ("l.json", "3", r'l\.json: an object such as \{"page.html"'),
        ("l.json", '{"a": ["1"], "a": ["2"]}', "'a' is there twice"),
        ("l.json", '{"a": "1.jpg"}', "entry 1: a list of images"),
        ("l.json", '{"a": {"relevant": "1.jpg"}}', "entry 1: relevant must be a list"),
        ("l.json", '{"a": {"relevent": []}}', "entry 1: a list of images, or an object with relevant, irrelevant"),
        ("l.json", '{"a": [3]}', "entry 1: an image is an address or a number"),
        ("l.json", '[{"page": "a", "image": "1"}, 3]', "entry 2: an object with page and image"),
        ("l.json", '[{"page": "a", "image": 3}]', "entry 1: image must be text, not 3"),
        ("l.json", '[{"page": "a", "image": "1", "by": 3}]', "entry 1: the name of a person"),
        ("l.json", '[{"page": "a", "image": "1", "relevant": [1]}]', "entry 1: relevant must be 1 or 0"),
        ("l.json", '{"a": {"relevant": ["1"], "irrelevant": ["1"]}}', "entry 1: 1 of a is not relevant, but in"),
        ("l.json", "[" * 100_000, "not JSON"),
        ("l.jsonl", '{"page": "a", "image": "1"}\n{"page"', r"l\.jsonl:2: not JSON"),
        ("l.jsonl", '{"page": "a", "img": "1"}', r"l\.jsonl:1: unknown key 'img'; expected one of page, image"),
    ],
)
def test_json_that_says_something_else_is_refused_with_its_place(name: str, text: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        read_labels(text.encode(), name)


def test_the_kind_of_a_file_is_told_by_its_suffix(tmp_path: Path) -> None:
    for name, text in (("a.csv", "page,image\na,1\n"), ("a.tsv", "page\timage\na\t1\n"), ("A.JSON", '{"a": ["1"]}')):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert said(open_labels(tmp_path / name)) == [("a", "1", True)]


def test_a_file_of_too_many_labels_is_refused() -> None:
    with pytest.raises(BadInput, match=f"longer than {LIMITS.label_bytes} bytes"):
        read_labels(b" " * (LIMITS.label_bytes + 1), "labels.csv")


def outcome(body: bytes, name: str) -> Labels | str:
    try:
        return read_labels(body, name)
    except BadInput as error:
        return str(error)


@given(st.binary(max_size=300))
def test_any_bytes_are_labels_or_bad_input(body: bytes) -> None:
    for name in ("l.csv", "l.json", "l.jsonl"):
        got = outcome(body, name)
        assert got.startswith(name) if isinstance(got, str) else all(label.page for label in got.rows)


@given(st.lists(st.text("pageim,;\t\n\"'#=01x /.", max_size=12), max_size=8))
def test_any_text_of_a_table_is_labels_or_bad_input(lines: list[str]) -> None:
    got = outcome(("page,image\n" + "\n".join(lines)).encode(), "l.csv")
    assert got.startswith("l.csv:") if isinstance(got, str) else all(label.page for label in got.rows)


def test_more_labels_than_the_limit_are_refused_with_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.site.labels.label_files.LIMITS", LIMITS._replace(labels=2))
    with pytest.raises(BadInput, match=r"labels\.csv:4: more than 2 labels"):
        table("page,image,relevant\na,1,1\na,2,0\na,3,0\n")


def test_what_is_null_in_json_is_an_empty_cell() -> None:
    rows = [{"page": "a.html", "image": None}, {"page": None, "image": None}, {"page": "b.html", "image": "1.jpg"}]
    labels = read_labels(json.dumps(rows).encode(), "labels.json")
    assert said(labels) == [("a.html", "", False), ("b.html", "1.jpg", True)]
