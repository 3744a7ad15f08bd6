"""Files of arrivals."""

import json
import lzma
from pathlib import Path

import pytest

from scythe.errors import BadInput
from scythe.schedule.simulate import read_traces, write_trace


@pytest.mark.parametrize("name", ["list.csv", "list.csv.xz"])
def test_what_was_written_is_read_again(tmp_path: Path, name: str) -> None:
    write_trace(tmp_path / name, "a, b", [1_650_000_000.0, 1_650_000_001.5])
    (trace,) = read_traces(tmp_path / name, 20)
    assert (trace.name, trace.shown, trace.arrivals) == ("list", 20, (1_650_000_000.0, 1_650_000_001.5))


def test_a_folder_says_how_many_records_each_list_shows(tmp_path: Path) -> None:
    for name in ("b", "a"):
        write_trace(tmp_path / f"{name}.csv", name, [1.0, 2.0])
    (tmp_path / "meta.json").write_text(json.dumps({"a": {"P": 10}, "b": {"P": 20}}))
    (tmp_path / "notes.txt").write_text("not a trace")
    assert [(trace.name, trace.shown) for trace in read_traces(tmp_path)] == [("a", 10), ("b", 20)]
    assert [trace.shown for trace in read_traces(tmp_path / "b.csv")] == [20]


def test_a_file_with_several_sites_gives_several_traces(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text("x,5\ny,3\nx,1\n\n")
    traces = {trace.name: trace.arrivals for trace in read_traces(tmp_path / "all.csv", 10)}
    assert traces == {"x": (1.0, 5.0), "y": (3.0,)}


def test_times_alone_are_enough_and_a_header_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text("unix_time\r\n7\r\n3\r\n")
    assert read_traces(tmp_path / "times.csv", 10)[0].arrivals == (3.0, 7.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("site,unix_time\na,12\na,soon\n", "line 3: expected site,unix_time, found 'a,soon'"),
        ("a,1\nb\n", "line 2: expected"),
        ("a,1\na,-5\n", "line 2"),
        ("a,1\na,nan\n", "line 2"),
        ("a,1\na,1e30\n", "line 2"),
        ("a,1\n" + "x" * 5_000 + "\n", "line 2: is longer than 1000 characters"),
        ("site,unix_time\n", "holds no arrivals"),
        ("", "holds no arrivals"),
        ("a,1\n\x00\ufffd,x", "line 2"),
    ],
)
def test_what_is_no_trace_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(BadInput, match=said):
        read_traces(tmp_path / "t.csv", 10)


def test_more_arrivals_than_the_bound_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    from scythe.schedule import simulate as traces

    monkeypatch.setattr(traces, "LIMITS", traces.LIMITS._replace(trace_arrivals=3, traces=1))
    (tmp_path / "t.csv").write_text("a,1\n" * 4)
    with pytest.raises(BadInput, match="line 4: more than 3 arrivals"):
        read_traces(tmp_path / "t.csv", 10)
    (tmp_path / "u.csv").write_text("a,1\n")
    with pytest.raises(BadInput, match="2 traces, more than 1"):
        read_traces(tmp_path, 10)


def test_broken_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "cut.csv.xz").write_bytes(lzma.compress(b"a,1\n" * 10_000)[:60])
    (tmp_path / "bad.csv.xz").write_bytes(b"not packed")
    (tmp_path / "latin.csv").write_bytes(b"a,1\n\xff\xfe,2\n")
    for name in ("cut.csv.xz", "bad.csv.xz", "latin.csv"):
        with pytest.raises(BadInput, match="cannot be read"):
            read_traces(tmp_path / name, 10)
    with pytest.raises(BadInput, match="no such file"):
        read_traces(tmp_path / "none.csv", 10)
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="no file here ends in"):
        read_traces(tmp_path / "empty", 10)


@pytest.mark.parametrize("meta", ["[", "[1]", '{"a": {"P": 0}}', '{"a": {"P": "ten"}}', '{"a": 3}', "[" * 100_000])
def test_a_meta_file_that_says_nothing_is_refused(tmp_path: Path, meta: str) -> None:
    write_trace(tmp_path / "a.csv", "a", [1.0, 2.0])
    (tmp_path / "meta.json").write_text(meta)
    with pytest.raises(BadInput, match=r"meta\.json"):
        read_traces(tmp_path)


def test_a_list_of_unknown_length_is_refused(tmp_path: Path) -> None:
    write_trace(tmp_path / "a.csv", "a", [1.0, 2.0])
    with pytest.raises(BadInput, match="how many records 'a' shows"):
        read_traces(tmp_path)
