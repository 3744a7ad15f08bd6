"""Documents become tables: every column says what the document says, and nothing a page holds stops it."""

import pyarrow as pa
import pytest

from scythe import Document, Field, Image, Loss, Metadata, Record, RecordList, Site, read
from scythe.demo import site as demo_site
from scythe.errors import BadInput
from scythe.model import DEFAULT_FIELDS, Listed, Rendered
from scythe.output.arrow_tables import ELSEWHERE, TableBuilder, documents_schema, images_schema, records_schema
from scythe.url import Url

PAGE = Url("https://example.org/a")


def document(**changes: object) -> Document:
    images = (Image(Url("https://example.org/a.jpg"), "A field", "Dawn", 640, 480, True, 0.9), Image(PAGE))
    regions = (
        RecordList(
            (
                Record(("Rye", "3 EUR"), (PAGE,), (PAGE,)),
                Record(("Oats", ""), (), ()),
            ),
            ("title", "price"),
            "products",
        ),
        RecordList((Record(("x",)),), ("text",), "list"),
    )
    said = Metadata(title="Corn", author="Ann", published="2026-01-02", keywords=("a", "b"), kind="article")
    known = {
        "title": "Corn",
        "text": "Rye and oats.",
        "metadata": said,
        "url": PAGE,
        "losses": (Loss("bytes that did not decode", 2),),
        "content": Rendered("Rye and oats.", "# Corn", "<p>Rye</p>", images),
        "listing": Listed(regions, (("crop", "rye"),)),
    }
    return Document(**(known | changes))  # type: ignore[arg-type]


def test_a_row_of_documents_says_what_the_document_says() -> None:
    builder = TableBuilder(parts=("text", "markdown", "html", "images", "records", "attributes"))
    builder.add(document(fields={"price": Field(("3 EUR",)), "author": Field(("Bea",), None, "cut: a rule")}))
    row = builder.take()["documents"].to_pylist()[0]
    assert row["url"] == PAGE
    assert (row["title"], row["text"], row["markdown"], row["html"]) == (
        "Corn",
        "Rye and oats.",
        "# Corn",
        "<p>Rye</p>",
    )
    assert (row["author"], row["published"], row["kind"], row["description"]) == ("Bea", "2026-01-02", "article", None)
    assert row["keywords"] == ["a", "b"]
    assert row["images"][0] == {
        "src": "https://example.org/a.jpg", "alt": "A field", "caption": "Dawn",
        "width": 640, "height": 480, "relevant": True, "score": 0.9,
    }  # fmt: skip
    assert row["images"][1]["width"] is None
    assert [one["kind"] for one in row["lists"]] == ["products", "list"]
    assert row["lists"][0]["records"][0] == {"fields": ["Rye", "3 EUR"], "links": [PAGE], "images": [PAGE]}
    assert row["attributes"] == [{"name": "crop", "value": "rye"}]
    assert row["fields"] == [{"name": "price", "values": ["3 EUR"], "type": None, "typed": [], "numbers": []}]
    assert row["losses"] == [{"what": "bytes that did not decode", "count": 2}]
    assert row["via"] == "cut"


def test_images_and_records_have_tables_with_the_keys_of_their_page() -> None:
    builder = TableBuilder(
        ("documents", "images", "records"),
        ("text",),
        extra={"file": pa.string(), "offset": pa.int64()},
        keys=["offset"],
    )
    builder.add(document(), {"file": "a.warc.gz", "offset": 7})
    builder.add(document(), {"offset": 2**40})
    batches = builder.take()
    assert batches["documents"].column("file").to_pylist() == ["a.warc.gz", None]
    assert batches["images"].column("offset").to_pylist() == [7, 7, 2**40, 2**40]
    assert batches["records"].to_pylist()[:3] == [
        {
            "page": PAGE, "list": 1, "kind": "products", "record": 1, "links": [PAGE], "images": [PAGE], "offset": 7,
            "fields": [{"name": "title", "value": "Rye"}, {"name": "price", "value": "3 EUR"}],
        },
        {
            "page": PAGE, "list": 1, "kind": "products", "record": 2, "links": [], "images": [], "offset": 7,
            "fields": [{"name": "title", "value": "Oats"}],
        },
        {
            "page": PAGE, "list": 2, "kind": "list", "record": 1, "links": [], "images": [], "offset": 7,
            "fields": [{"name": "text", "value": "x"}],
        },
    ]  # fmt: skip


def test_what_is_not_asked_for_is_not_worked_out() -> None:
    class Untouched(Rendered):
        def images(self) -> tuple[Image, ...]:
            raise AssertionError("nobody asked for images")

        def markdown(self) -> str:
            raise AssertionError("nobody asked for markdown")

    builder = TableBuilder(parts=("text",))
    builder.add(document(content=Untouched("text")))
    names = builder.take()["documents"].schema.names
    assert not {"markdown", "html", "images", "lists", "attributes"} & set(names)


def test_a_text_that_nobody_learned_is_read_only_where_it_is_asked_for() -> None:
    class Unread(Document):
        @property
        def text(self) -> str:  # type: ignore[override]
            raise AssertionError("nobody asked for text")

        @text.setter
        def text(self, text: str) -> None: ...

    unread = Unread.__new__(Unread)
    unread.__dict__.update({name: value for name, value in document().__dict__.items() if name != "text"})
    builder = TableBuilder(parts=("attributes",))
    builder.add(unread)
    row = builder.take()["documents"].to_pylist()[0]
    assert "text" not in row
    assert row["title"] == "Corn"


def test_halves_of_characters_are_replaced_wherever_they_stand() -> None:
    half = "a\ud800b"
    builder = TableBuilder(("documents", "records"), ("text", "attributes"))
    region = RecordList((Record((half,), (Url(half),)),), ("title",))
    builder.add(document(text=half, title="whole", listing=Listed((region,), ((half, "v"),))))
    builder.add(document())
    batches = builder.take()
    assert batches["documents"].column("text").to_pylist() == ["a?b", "Rye and oats."]
    assert batches["documents"].column("attributes").to_pylist()[0] == [{"name": "a?b", "value": "v"}]
    assert batches["records"].to_pylist()[0]["links"] == ["a?b"]
    assert batches["records"].to_pylist()[0]["fields"] == [{"name": "title", "value": "a?b"}]


def test_taking_begins_anew_and_tables_without_rows_are_left_out() -> None:
    builder = TableBuilder(("documents", "images"))
    builder.add(document(content=Rendered("x")))
    assert set(builder.take()) == {"documents"}
    assert (builder.take(), len(builder), builder.is_full) == ({}, 0, False)


def test_much_text_and_many_rows_make_it_full() -> None:
    builder = TableBuilder(parts=("text",))
    builder.add(document(text="x" * 16_000_000))
    assert builder.is_full
    assert builder.take()["documents"].num_rows == 1
    for _ in range(2_000):
        builder.add(document())
    assert builder.is_full


def test_schemas_are_those_of_the_batches() -> None:
    builder = TableBuilder(("documents", "images", "records"), extra={"n": pa.int8()})
    builder.add(document(), {"n": 1})
    batches = builder.take()
    assert batches["documents"].schema == documents_schema(extra={"n": pa.int8()}) == builder.schemas["documents"]
    assert batches["images"].schema == images_schema()
    assert batches["records"].schema == records_schema()


@pytest.mark.parametrize(
    "wrong", [{"tables": ["pages"]}, {"parts": ["prose"]}, {"keys": ["n"]}, {"extra": {"url": pa.string()}}]
)
def test_names_that_are_none_are_refused(wrong: dict[str, list[str]]) -> None:
    with pytest.raises(BadInput):
        TableBuilder(**wrong)  # type: ignore[arg-type]


def test_only_fields_without_a_column_are_listed_as_such() -> None:
    assert set(DEFAULT_FIELDS) == ELSEWHERE


def test_cut_and_cold_pages_of_a_site_share_a_table() -> None:
    pages = [page for page in demo_site(pages=40) if page.kind == "news"][:9]
    learned = Site.learn([(page.url, page.html) for page in pages[:8]])
    builder = TableBuilder(parts=("text", "images"))
    builder.add(learned.extract(pages[8].html, pages[8].url))
    builder.add(read(pages[8].html, pages[8].url))
    rows = builder.take()["documents"].to_pylist()
    assert rows[0]["via"] in ("cut", "mixed")
    assert rows[1]["via"] == "cold"
    assert rows[0]["title"] == rows[1]["title"] == pages[8].gold_title
