"""The description of the JSON interface, for programs and for people."""

import json
import re
from typing import Any

import pytest
from tests.web.asking import call
from tests.web.conftest import NARROW, WIDE, Look

from scythe.web.app import all_operations
from scythe.web.interface.interface import say_kind, tell_areas
from scythe.web.openapi import describe_interface, sample
from scythe.web.server import Serving


def test_the_description_is_valid_openapi() -> None:
    definitions = pytest.importorskip("schemathesis.specs.openapi.definitions")
    whole = json.loads(json.dumps(describe_interface()))
    assert [str(error) for error in definitions.OPENAPI_31_VALIDATOR.iter_errors(whole)] == []


def test_every_schema_is_a_valid_json_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for schema in describe_interface()["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_every_operation_is_described_once_under_its_own_name() -> None:
    described = [
        (method.upper(), path, operation["operationId"])
        for path, methods in describe_interface()["paths"].items()
        for method, operation in methods.items()
    ]
    wanted = [(one.method, re.sub(r":\w+\}", "}", one.path), one.name) for one in all_operations()]
    assert sorted(described) == sorted(wanted)
    assert len({name for _, _, name in described}) == len(described)


def test_what_the_code_says_of_fields_is_described() -> None:
    fields = describe_interface()["components"]["schemas"]["SiteView"]["properties"]
    assert fields["counts"]["description"] == "None: it is not in the archive."
    assert "description" not in fields["key"]


def test_tools_have_names_of_their_own() -> None:
    tools = [one.tool for one in all_operations() if one.tool]
    assert sorted(tools) == sorted(set(tools))
    assert all(re.fullmatch(r"[a-z][a-z_]{2,40}", tool) for tool in tools)


def unbounded(schema: dict[str, Any]) -> bool:
    """Tell whether a schema takes texts, numbers or lists without end."""
    kinds = schema.get("anyOf", [schema])
    ends = {"string": "maxLength", "integer": "maximum", "number": "maximum", "array": "maxItems"}
    return any("enum" not in kind and kind.get("type") in ends and ends[kind["type"]] not in kind for kind in kinds)


def test_all_that_requests_say_is_bounded() -> None:
    schemas = describe_interface()["components"]["schemas"]
    names = {one.wanted.__name__ for one in all_operations()}
    loose = [
        f"{name}.{field}"
        for name in names & set(schemas)
        for field, schema in schemas[name].get("properties", {}).items()
        if unbounded(schema)
    ]
    assert loose == [], "give these a type with bounds: Number, Key, Address, or Annotated[..., Meta(...)]"


def test_what_a_get_wants_fits_into_an_address() -> None:
    for path, methods in describe_interface()["paths"].items():
        for parameter in methods.get("get", {}).get("parameters", ()):
            assert parameter["schema"].get("type") not in ("array", "object"), f"{path}: {parameter['name']}"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 2**63 - 1}, "whole number, 1 or more"),
        ({"type": "number", "maximum": 1}, "number, 1 at most"),
        ({"anyOf": [{"type": "string", "maxLength": 5}, {"type": "null"}]}, "text, 5 characters at most or null"),
        ({"type": "array", "items": {"$ref": "#/components/schemas/RecordList"}}, "list of RecordList"),
        ({"type": "array", "items": False, "prefixItems": [{"type": "string"}] * 2}, "pair of text, text"),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, "object of true or false by name"),
        ({}, "anything"),
    ],
)
def test_kinds_are_told_in_words(schema: dict[str, Any], words: str) -> None:
    assert say_kind(schema) == words


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer", "minimum": 3}, 3),
        ({"enum": ["csv", "json"]}, "csv"),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, True),
        ({"type": "array", "items": {"type": "string", "examples": ["https://a.example/"]}}, ["https://a.example/"]),
        ({"$ref": "#/components/schemas/Goal"}, {"miss": 0.5}),
    ],
)
def test_an_example_is_shown_of_every_kind_of_value(schema: dict[str, Any], value: object) -> None:
    goal = {
        "type": "object",
        "properties": {"miss": {"type": "number"}, "note": {"type": "string"}},
        "required": ["miss"],
    }
    assert sample({"said": schema}, {"required": ["said"]}, {"Goal": goal}) == {"said": value}
    assert sample({"said": schema}, {}, {"Goal": goal}) == {}


def test_the_description_is_served_to_those_with_the_token(serving: Serving) -> None:
    said = call(serving, "/api/openapi.json")
    assert said.status == 200
    assert said.value["openapi"].startswith("3.1")


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_page_tells_each_operation_with_an_example(look: Look, size: tuple[int, int]) -> None:
    eyes = look("/api", size=size)
    assert eyes.tab.locator("details.operation[id=read_page]").count() == 1
    eyes.tab.click("#read_page summary")
    eyes.tab.click("#see_job summary")
    assert "curl" in eyes.tab.inner_text("#read_page pre")
    assert eyes.tab.locator("summary .verb").count() == sum(len(area.operations) for area in tell_areas())
    assert eyes.overflow() <= 0
    eyes.shoot("interface")
