"""Describe all operations as an OpenAPI 3.1 document, with field descriptions taken from the source comments."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect as kinds

from scythe.limits import LIMITS
from scythe.package_files import packaged_text
from scythe.version import version
from scythe.web.app import load_areas
from scythe.web.operations import Operation

# name: type = default  # what it means
_SAID = re.compile(r"    ([a-z_]+): [^#]*  # (.+)")


def add_field_docs(schemas: dict[str, Any], types: Iterable[Any]) -> None:
    """Put into schemas, which are by the names of records, what the code says of their fields."""
    for name, record in records_in(types).items():
        said = field_docs(record)
        for field, schema in schemas.get(name, {}).get("properties", {}).items():
            if field in said:
                schema.setdefault("description", said[field])


def records_in(types: Iterable[Any]) -> dict[str, type]:
    """Return the records that types are made of, by name."""
    found: dict[str, type] = {}
    waiting: list[Any] = list(kinds.multi_type_info(types))
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, kinds.StructType | kinds.DataclassType):
            if kind.cls.__name__ not in found:
                found[kind.cls.__name__] = kind.cls
                waiting += [field.type for field in kind.fields]
            continue
        waiting += [*getattr(kind, "types", ()), *getattr(kind, "item_types", ())]
        inner = (getattr(kind, name, None) for name in ("value_type", "type", "item_type"))
        waiting += [one for one in inner if isinstance(one, kinds.Type)]
    return found


@cache
def field_docs(record: type) -> dict[str, str]:
    """Return what is said beside the fields of a record and of those it builds on."""
    said: dict[str, str] = {}
    for kind in reversed(record.__mro__):
        if kind.__module__.startswith("scythe."):
            said |= dict(_read(kind))
    return said


def _read(kind: type) -> Iterator[tuple[str, str]]:
    try:
        lines = inspect.getsource(kind.__dict__.get("__source__", kind)).splitlines()
    except OSError:
        return  # installed without its source
    for line in lines:
        found = _SAID.match(line)
        if found is not None and not found[2].startswith(("noqa", "type:", "fmt:")):
            text = found[2].split("  # ")[0]
            yield found[1], f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


Schema = dict[str, Any]

REF = "#/components/schemas/"
_OF_CHANGES = ("400", "403", "408", "413", "415")  # no GET has a body, or changes anything
_NAMES = re.compile(r"\{([a-z_]+)(?::[a-z]+)?\}")  # in a path; starlette takes {name:path}, too


@cache
def describe_interface() -> Schema:
    """Return the whole description; it is the same for every state."""
    tagged = [(area, one) for area in load_areas() for one in area.operations]
    wanted, answers, components = _schemas([one for _, one in tagged])
    whole = _skeleton()
    paths: Schema = whole["paths"]
    for at, (area, operation) in enumerate(tagged):
        described = _describe(operation, area.name, wanted[at], answers[at], components)
        paths.setdefault(_NAMES.sub(r"{\1}", operation.path), {})[operation.method.lower()] = described
    whole["info"]["version"] = version()
    whole["tags"] = [{"name": one.name, "description": one.description} for one in load_areas() if one.operations]
    whole["components"]["schemas"] |= components
    return whole


def _skeleton() -> Schema:
    """Return what is the same whatever the operations are: every error has the same content."""
    text = packaged_text("scythe.web", "openapi.json")
    whole: Schema = json.loads(text.replace("REQUEST_MB", str(LIMITS.request_bytes // 1_000_000)))
    for response in whole["components"]["responses"].values():
        response["content"] = {"application/json": {"schema": {"$ref": f"{REF}Error"}}}
    return whole


def _schemas(operations: list[Operation]) -> tuple[list[Schema], list[Schema], Schema]:
    """Return for each operation the schemas of what it wants and answers, and those that they refer to."""
    kinds = [operation.wanted for operation in operations] + [operation.answer for operation in operations]
    found, components = msgspec.json.schema_components(kinds, schema_hook=_anything, ref_template=REF + "{name}")
    components = dict(components)
    add_field_docs(components, kinds)
    return list(found[: len(operations)]), list(found[len(operations) :]), components


def _anything(kind: type) -> Schema:
    """Describe what msgspec knows no form of: only `object` is meant so."""
    if kind is not object:
        raise NotImplementedError(f"{kind} in a response cannot be written as JSON")  # how a hook of msgspec says no
    return {"description": "Anything."}


def _describe(operation: Operation, tag: str, wanted: Schema, answer: Schema, components: Schema) -> Schema:
    whole = resolve(wanted, components)
    in_path = _NAMES.findall(operation.path)
    properties: Schema = whole.get("properties", {})
    asked = [name for name in properties if name not in in_path]
    errors = _skeleton()["components"]["responses"]
    statuses = [status for status in errors if operation.method == "POST" or status not in _OF_CHANGES]
    described: Schema = {
        "operationId": operation.name,
        "summary": operation.description.partition("\n")[0],
        "description": operation.description,
        "tags": [tag],
        "parameters": [_parameter(name, "path", whole) for name in in_path],
        "responses": {
            "200": {"description": "The answer.", "content": {"application/json": {"schema": answer}}},
            **{status: {"$ref": f"#/components/responses/{status}"} for status in statuses},
        },
    }
    if operation.method == "GET":
        described["parameters"] += [_parameter(name, "query", whole) for name in asked]
    else:
        schema = wanted if not in_path else _without(whole, in_path)
        body = {"schema": schema, "example": sample({name: properties[name] for name in asked}, whole, components)}
        described["requestBody"] = {"required": True, "content": {"application/json": body}}
    if operation.tool:
        described["x-tool"] = operation.tool
    return described


def _parameter(name: str, where: str, whole: Schema) -> Schema:
    schema = dict(whole["properties"][name])
    says = schema.pop("description", "")
    kinds = [kind for kind in schema.get("anyOf", ()) if kind.get("type") != "null"]
    if kinds:  # in an address, null is what is not there
        schema = {key: value for key, value in schema.items() if key != "anyOf"} | (
            kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        )
    if schema.get("default", ...) is None:
        del schema["default"]
    parameter: Schema = {"name": name, "in": where, "schema": schema}
    if where == "path" or name in whole.get("required", ()):
        parameter["required"] = True
    return parameter | ({"description": says} if says else {})


def _without(whole: Schema, names: Iterable[str]) -> Schema:
    """Return the schema of an object without some of its properties: they stand in the path."""
    properties = {name: schema for name, schema in whole.get("properties", {}).items() if name not in names}
    required = [name for name in whole.get("required", ()) if name not in names]
    return {**whole, "properties": properties, "required": required}


def resolve(schema: Schema, components: Schema) -> Schema:
    """Return what a schema stands for, where it is only a name."""
    name = schema.get("$ref", "").removeprefix(REF)
    return components[name] if name else schema


def sample(properties: Schema, whole: Schema, components: Schema) -> Schema:
    """Return an example of an object: what it must have, and what has an example."""
    required = whole.get("required", ())
    return {
        name: _value(schema, components)
        for name, schema in properties.items()
        if name in required or "examples" in schema
    }


def _value(schema: Schema, components: Schema) -> Any:
    schema = resolve(schema, components)
    if "examples" in schema:
        return schema["examples"][0]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _value(schema["anyOf"][0], components)
    kind = schema.get("type")
    if kind == "object":
        return sample(schema.get("properties", {}), schema, components)
    if kind == "array":
        return [_value(schema["items"], components)] if isinstance(schema.get("items"), dict) else []
    return {"integer": schema.get("minimum", 0), "number": 0.5, "boolean": True, "string": "..."}.get(str(kind))
