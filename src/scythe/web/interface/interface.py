"""The JSON interface, documented for people from its OpenAPI description."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlencode

from scythe.web.filters import say_count
from scythe.web.openapi import REF, Schema, describe_interface, resolve
from scythe.web.operations import WebArea
from scythe.web.state import State

AREA = WebArea("interface", __doc__, menu="api")

_HUGE = 2**53  # bounds beyond are those of databases: nobody wants to read them


@dataclass(frozen=True, slots=True)
class FieldDoc:
    """One thing that a request can say, or that an answer has."""

    name: str
    where: str  # path, query, body; empty in answers
    kind: str  # in words
    must: bool
    default: str  # as JSON; empty where there is none
    description: str


@dataclass(frozen=True, slots=True)
class FormDoc:
    """An object that occurs in requests or answers."""

    name: str
    description: str
    fields: tuple[FieldDoc, ...]


@dataclass(frozen=True, slots=True)
class OperationDoc:
    """One operation, in words."""

    name: str
    method: str
    path: str
    summary: str
    description: str
    tool: str
    fields: tuple[FieldDoc, ...]
    answer: str
    curl: str


@dataclass(frozen=True, slots=True)
class AreaDoc:
    """The operations of one area."""

    name: str
    description: str
    operations: tuple[OperationDoc, ...]


@AREA.get("/api/openapi.json")
def read_openapi(state: State) -> dict[str, Any]:
    """Return this description: an OpenAPI 3.1 document."""
    return describe_interface()


@AREA.view("/api", "interface.html")
def show_interface(state: State) -> dict[str, Any]:
    """Return what the page about the interface shows."""
    return {"areas": tell_areas(), "forms": tell_forms(), "about": describe_interface()["info"]["description"]}


@cache
def tell_areas() -> tuple[AreaDoc, ...]:
    """Return all operations in words, by area."""
    whole = describe_interface()
    by_tag: dict[str, list[OperationDoc]] = {tag["name"]: [] for tag in whole["tags"]}
    for path, methods in whole["paths"].items():
        for method, operation in methods.items():
            by_tag[operation["tags"][0]].append(_tell(path, method.upper(), operation, whole["components"]["schemas"]))
    return tuple(AreaDoc(tag["name"], tag["description"], tuple(by_tag[tag["name"]])) for tag in whole["tags"])


@cache
def tell_forms() -> tuple[FormDoc, ...]:
    """Return in words the objects that answers and bodies are made of, but what requests say: it is told with them."""
    schemas = describe_interface()["components"]["schemas"]
    return tuple(
        FormDoc(name, schema.get("description", ""), tuple(_fields(schema, "")))
        for name, schema in sorted(schemas.items())
        if schema.get("properties") and not name.endswith("Wanted")
    )


def _tell(path: str, method: str, operation: Schema, components: Schema) -> OperationDoc:
    fields = [
        _field(one["name"], one["in"], one["schema"], one.get("description", ""), must=one.get("required", False))
        for one in operation["parameters"]
    ]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    fields += _fields(resolve(body["schema"], components), "body") if body else ()
    answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
    return OperationDoc(
        operation["operationId"],
        method,
        path,
        operation["summary"],
        operation["description"],
        operation.get("x-tool", ""),
        tuple(fields),
        say_kind(answer),
        _curl(path, method, operation["parameters"], body.get("example")),
    )


def _fields(schema: Schema, where: str) -> list[FieldDoc]:
    must = schema.get("required", ())
    properties = schema.get("properties", {})
    return [_field(name, where, one, one.get("description", ""), must=name in must) for name, one in properties.items()]


def _field(name: str, where: str, schema: Schema, says: str, *, must: bool) -> FieldDoc:
    default = json.dumps(schema["default"], ensure_ascii=False) if schema.get("default") is not None else ""
    return FieldDoc(name, where, say_kind(schema), must, default, says)


def say_kind(schema: Schema) -> str:
    """Say what a schema allows."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(REF)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(say_kind(one) for one in schema["anyOf"]))
    if "enum" in schema:
        return "one of " + ", ".join(f"{one}" for one in schema["enum"])
    kind = schema.get("type", "anything")
    if kind == "array":
        inner = schema.get("items")
        if not isinstance(inner, dict):
            return "pair of " + ", ".join(say_kind(one) for one in schema.get("prefixItems", ()))
        if "enum" in inner:
            return "any of " + ", ".join(f"{one}" for one in inner["enum"])
        return f"list of {say_kind(inner)}" + (f", {schema['maxItems']} at most" if "maxItems" in schema else "")
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"object of {say_kind(inner)} by name" if isinstance(inner, dict) else "object"
    if kind == "string":
        name = "time" if schema.get("format") == "date-time" else "text"
        return f"{name}, {say_count(schema['maxLength'])} characters at most" if "maxLength" in schema else name
    if kind in ("integer", "number"):
        return ("whole number" if kind == "integer" else "number") + _range(schema)
    return {"boolean": "true or false"}.get(kind, str(kind))


def _range(schema: Schema) -> str:
    least = schema.get("minimum", schema.get("exclusiveMinimum"))
    most = schema.get("maximum", schema.get("exclusiveMaximum"))
    if least is not None and most is not None and most < _HUGE:
        return f", {least} to {most}"
    if least is not None:
        return f", {least} or more"
    return f", {most} at most" if most is not None and most < _HUGE else ""


def _curl(path: str, method: str, parameters: list[Schema], example: Schema | None) -> str:
    filled = path
    asked = {}
    for one in parameters:
        value = one["schema"].get("examples", ["1" if one["schema"].get("type") == "integer" else "..."])[0]
        if one["in"] == "path":
            filled = filled.replace(f"{{{one['name']}}}", str(value))
        elif one.get("required") or "examples" in one["schema"]:
            asked[one["name"]] = value
    address = f'"$SCYTHE{filled}{"?" + urlencode(asked) if asked else ""}"'
    line = f'curl -H "Authorization: Bearer $TOKEN" {address}'
    if method == "GET":
        return line
    said = shlex.quote(json.dumps(example or {}, ensure_ascii=False))
    return f"{line} \\\n  -H 'Content-Type: application/json' -d {said}"
