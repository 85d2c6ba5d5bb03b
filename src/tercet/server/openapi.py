"""The OpenAPI document: all operations, with the schemas of their messages. It follows from the table of routes."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from tercet.server.calls import JSON, Operation
from tercet.server.line_streams import FORMS
from tercet.server.messages import Failure

PLACEHOLDER = re.compile(r"{(\w+)(?::(\w+))?}")
SCHEMAS = "#/components/schemas/{name}"
FILE = {"type": "string", "format": "binary"}


def write_openapi(operations: Sequence[Operation], prefix: str) -> dict[str, Any]:
    """The document, for a server whose paths begin with this prefix."""
    from tercet import __version__

    types = list(dict.fromkeys(each for operation in operations for each in (operation.takes, operation.gives) if each))
    _, schemas = msgspec.json.schema_components([*types, Failure], ref_template=SCHEMAS)
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(PLACEHOLDER.sub(r"{\1}", operation.path), {})[operation.method.lower()] = describe(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "tercet", "version": __version__, "description": "Classify, explain, teach and forget."},
        "servers": [{"url": prefix or "/"}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "tercet"},
            },
        },
    }


def describe(operation: Operation) -> dict[str, Any]:
    """One operation."""
    first, _, rest = operation.summary.partition("\n")
    role = "Anybody may ask." if operation.role is None else f"Needs the role {operation.role}."
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": first,
        "description": " ".join(f"{rest} {role}".split()),
        "security": [] if operation.role is None else [{"token": []}, {"session": []}],
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "integer" if kind == "int" else "string"}}
            for name, kind in PLACEHOLDER.findall(operation.path)
        ],
        "responses": {
            str(operation.status): {"description": "The answer.", **write_content(operation.gives)},
            "default": {"description": "What went wrong.", **write_content(Failure)},
        },
    }
    if operation.takes is not None:
        described["requestBody"] = {"required": True, **write_content(operation.takes)}
    if operation.accepts:
        described["requestBody"] = {"required": True, "content": {kind: {"schema": FILE} for kind in operation.accepts}}
    described["parameters"] += [
        {"name": name, "in": "query", "description": words, "schema": {"type": "string"}} for name, words in operation.query
    ]
    if operation.streams:
        for kind in FORMS:
            described["requestBody"]["content"][kind] = {"schema": {"type": "string"}}
            described["responses"][str(operation.status)]["content"][kind] = {"schema": {"type": "string"}}
        top = {
            "name": "top",
            "in": "query",
            "description": "Of a stream: how many labels to list.",
            "schema": {"type": "integer"},
        }
        text = {
            "name": "text",
            "in": "query",
            "description": "Of a table: the column of the texts, if the model does not know it.",
            "schema": {"type": "string"},
        }
        described["parameters"] += [top, text]
    return described


def write_content(message: type[msgspec.Struct] | None) -> dict[str, Any]:
    if message is None:
        return {}
    return {"content": {JSON: {"schema": {"$ref": SCHEMAS.format(name=message.__name__)}}}}
