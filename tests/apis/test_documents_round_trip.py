"""Encoding and decoding a document returns an equal document, for all types."""

from functools import cache
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memkube.apimachinery.decoding import parse_json
from memkube.apimachinery.forms import ModelForm
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.schema import ListSchema, MapSchema, Scalar, Schema, StructSchema
from memkube.apis.catalog import served_resources

pytestmark = pytest.mark.slow
MODELS = sorted({resource.model for resource in served_resources()}, key=lambda model: model.__name__)
TEXTS = st.sampled_from(["", "a", "web-1", "true", "0", "é"])
SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "string": TEXTS,
    "bool": st.booleans(),
    "int32": st.sampled_from([0, 1, -1, 2**31 - 1, -(2**31)]),
    "int64": st.sampled_from([0, 1, -1, 2**63 - 1, -(2**63)]),
    "float64": st.sampled_from([0.0, 1.5]),
    "bytes": st.sampled_from(["", "YQ==", "/+8="]),
    "quantity": st.sampled_from(["0", "1", "100m", "1536Mi", "12e6"]),
    "time": st.just("2026-01-02T03:04:05Z"),
    "microtime": st.just("2026-01-02T03:04:05.000006Z"),
    "int-or-string": st.one_of(st.integers(0, 9), st.just("50%")),
    "raw": st.fixed_dictionaries({"f:a": st.just({})}),
}


@cache
def values_of(schema: Schema, depth: int) -> st.SearchStrategy[Any]:
    if isinstance(schema, Scalar):
        return SCALARS[schema.type]
    if isinstance(schema, ListSchema):
        return st.lists(values_of(schema.items, depth), max_size=2)
    if isinstance(schema, MapSchema):
        return st.dictionaries(st.sampled_from(["a", "b"]), values_of(schema.values, depth), max_size=2)
    return documents_of(schema, depth)


def documents_of(schema: StructSchema, depth: int) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for documents that set a few fields of a struct, nested at most `depth` structs deep."""
    names = sorted(name for name, field in schema.fields.items() if depth or isinstance(field.schema, Scalar))
    if not names:
        return st.just({})
    chosen = st.lists(st.sampled_from(names), unique=True, max_size=3)
    return chosen.flatmap(
        lambda some: st.fixed_dictionaries({name: values_of(schema.fields[name].schema, depth - 1) for name in some})
    )


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_what_is_written_is_read_as_the_same(model: type[ApiObject]) -> None:
    schema = next(resource.schema for resource in served_resources() if resource.model is model)

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(documents_of(schema, 4))
    def check(document: dict[str, Any]) -> None:
        first = ModelForm(model).decode(document).value.to_document()
        text = orjson.dumps(first)
        assert ModelForm(model).decode(parse_json(text), text).value.to_document() == first

    check()
