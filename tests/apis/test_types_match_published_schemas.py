"""The API types have the JSON schemas that the package kubernetes-validate ships."""

import json
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

import memkube.apimachinery.meta.v1
import memkube.apis
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.schema import struct_of
from memkube.endpoints.openapi.components import Components
from memkube.endpoints.openapi.descriptions import openapi_name
from tests.gathered import for_each

_TYPE_MODULE = re.compile(r"\.types\b|\.references$|\.meta\.v1\.")
_RELEASE = "v1.36.0-local"
_NOT_PUBLISHED = {"description", "default", "enum", "x-kubernetes-group-version-kind", "x-kubernetes-unions"}


@cache
def _published() -> dict[str, Any]:
    path = files("kubernetes_validate") / "kubernetes-json-schema" / _RELEASE / "_definitions.json"
    definitions: dict[str, Any] = json.loads(path.read_text())["$defs"]
    return definitions


def _name(model: type[ApiModel]) -> str:
    return openapi_name(struct_of(model))


def _models() -> Iterator[type[ApiModel]]:
    for package in (memkube.apis, memkube.apimachinery.meta.v1):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not _TYPE_MODULE.search(module.name):
                continue
            for value in vars(import_module(module.name)).values():
                is_model = isinstance(value, type) and issubclass(value, ApiModel)
                if is_model and value.__module__ == module.name and _name(value) in _published():
                    yield value


def _comparable(schema: Any) -> Any:
    """Return a schema without keywords that only one side uses, with single types and plain references."""
    if isinstance(schema, list):
        return [_comparable(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    comparable = {key: _comparable_part(key, value) for key, value in schema.items() if key not in _NOT_PUBLISHED}
    nested = comparable.pop("allOf", [{}])
    return comparable | nested[0]


def _comparable_part(key: str, value: Any) -> Any:
    if key == "properties":
        return {name: _comparable(field) for name, field in value.items()}
    if key == "type" and isinstance(value, list):
        return next(kind for kind in value if kind != "null")
    if key == "$ref":
        return value.rpartition("/")[2]
    return _comparable(value)


def _ours(model: type[ApiModel]) -> Any:
    components = Components()
    components.refer_to(model)
    return _comparable(components.schemas()[_name(model)])


_each_model = for_each(_models(), _name)


@_each_model
def test_a_type_has_the_published_fields_and_rules(model: type[ApiModel]) -> None:
    assert _ours(model) == _comparable(_published()[_name(model)])


@_each_model
def test_every_field_is_described_in_words_of_our_own(model: type[ApiModel]) -> None:
    published = _published()[_name(model)].get("properties", {})
    for name, info in model.model_fields.items():
        assert info.description
        assert info.description != published.get(info.alias or name, {}).get("description")
