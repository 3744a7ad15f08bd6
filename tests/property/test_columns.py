"""Laws of columns: a field that is missing moves no other, and no text of a record is lost or said twice."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.model import RecordList
from scythe.page import Page
from scythe.reading.lists.candidates import Candidate
from scythe.reading.lists.fill import fill_list

WORDS = "river mill stone bread lamp winter garden copper silent harbour old north twelve paper glass".split()

numbers = st.integers(1, 28)
FIELDS = {
    "date": st.builds("2016-03-{:02}".format, numbers),
    "price": st.builds("€ {}.50".format, numbers),
    "number": st.builds("{}".format, st.integers(1, 9_999)),
    "rating": st.builds("{}/5".format, st.integers(1, 5)),
    "short": st.builds("{} {}".format, st.sampled_from(WORDS), st.sampled_from(WORDS)),
    "long": st.lists(st.sampled_from(WORDS), min_size=30, max_size=60).map(" ".join),
    "constant": st.just("Read more"),
    "address": st.builds("https://example.org/{}".format, numbers),
}
MAKES = {
    "p": "<p>{}</p>",
    "div": "<div>{}</div>",
    "span": "<span>{}</span>",
    "li": "<ul><li>{}</li></ul>",
    "link": "<a href=/x>{}</a>",
    "bold": "<p><b>{}</b></p>",
    "line": "{}<br>",
}


def fill(html: str, tag: str) -> RecordList:
    page = Page.from_text(html, url="https://example.org/")
    elements = page.elements
    rows = [row for row, name in enumerate(elements.tag) if name == tag]
    candidate = Candidate(
        "test",
        0,
        tuple((row, elements.end[row]) for row in rows),
        tuple((elements.leaf_start[row], elements.leaf_end[row]) for row in rows),
    )
    return fill_list(page, candidate, 1.0, "list")


@st.composite
def records(draw: st.DrawFn) -> list[list[str]]:
    """Draw records of fields of different kinds; three at least, for one text in a single record is not constant."""
    kinds = draw(st.lists(st.sampled_from(sorted(FIELDS)), min_size=2, max_size=6, unique=True))
    rows = draw(st.lists(st.tuples(*(FIELDS[kind] for kind in kinds)).map(list), min_size=3, max_size=7))
    if "short" in kinds:  # what several records say could be as constant as "Read more"
        for row, word in zip(rows, WORDS, strict=False):
            row[kinds.index("short")] += f" {word}"
    return rows


def write(rows: list[list[str]], makes: list[str]) -> str:
    """Write records; an empty text leaves out the field with its element."""
    lines = ("".join(make.format(text) for make, text in zip(makes, row, strict=True) if text) for row in rows)
    return "<main>" + "".join(f"<article>{line}</article>" for line in lines) + "</main>"


def check_deletion(rows: list[list[str]], makes: list[str], record: int, field: int) -> None:
    before = fill(write(rows, makes), "article")
    wide = len(before.columns)
    assert wide == len(rows[0])
    assert [list(one.fields) for one in before.records] == rows
    rows = [list(row) for row in rows]
    rows[record][field] = ""
    after = fill(write(rows, makes), "article")
    assert [list(one.fields) for one in after.records] == rows


@given(records(), st.sampled_from(sorted(MAKES)), st.data())
def test_a_missing_field_moves_no_other_where_only_content_tells_them_apart(rows, make, data):
    record = data.draw(st.integers(0, len(rows) - 1))
    field = data.draw(st.integers(0, len(rows[0]) - 1))
    check_deletion(rows, [MAKES[make]] * len(rows[0]), record, field)


@given(
    st.lists(st.tuples(*[FIELDS["short"]] * 5).map(list), min_size=2, max_size=7),
    st.permutations(["<h3>{}</h3>", "<p class=a>{}</p>", "<p class=b>{}</p>", "<p>{}</p>", "<a href=/y>{}</a>"]),
    st.integers(0, 1),
    st.integers(0, 4),
)
def test_a_missing_field_moves_no_other_where_only_markup_tells_them_apart(rows, makes, record, field):
    check_deletion(rows, makes, record, field)


_tokens = st.one_of(
    st.sampled_from([*WORDS, "12", "€ 5", "|", " "]),
    st.builds("<{} class={}>".format, st.sampled_from("div p span a b li td tr br table h2 time".split()), numbers),
    st.builds("</{}>".format, st.sampled_from("div p span a b li td tr table h2".split())),
)


@settings(max_examples=150)
@given(st.lists(st.lists(_tokens, max_size=25).map("".join), min_size=1, max_size=5))
def test_every_word_of_a_record_is_in_one_field(bodies):
    html = "<main>" + "".join(f"<article>{body}</article>" for body in bodies) + "</main>"
    elements = Page.from_text(html).elements
    rows = [row for row, name in enumerate(elements.tag) if name == "article"]
    for row, record in zip(rows, fill(html, "article").records, strict=True):
        leaves = elements.text[elements.leaf_start[row] : elements.leaf_end[row]]
        assert Counter(" ".join(record.fields).split()) == Counter(" ".join(leaves).split())
