from typing import Annotated, Any

import pytest
from pydantic import Field

from memkube.apimachinery.managed_fields import record_update
from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Time
from memkube.apimachinery.schema import struct_of
from tests.apimachinery.managed_fields.writers import writer


class Part(ApiModel):
    name: str = ""


class Report(ApiModel):
    kind: str = ""
    apiVersion: str = ""
    metadata: ObjectMeta = Field(default_factory=ObjectMeta)
    since: Annotated[Time | None, Always()] = None
    part: Annotated[Part | None, Required()] = None


@pytest.mark.parametrize(
    ("report", "owned"),
    [
        ({}, []),
        ({"since": "2026-01-01T00:00:00Z"}, [{"f:since": {}}]),
        ({"part": {"name": "a"}}, [{"f:part": {"f:name": {}}}]),
    ],
)
def test_nobody_owns_what_a_new_object_shows_as_null(report: dict[str, Any], owned: list[Any]) -> None:
    document = Report.from_document(report).to_document()
    assert {"since", "part"} <= document.keys()
    entries = record_update(struct_of(Report), None, document, writer())
    assert [entry["fieldsV1"] for entry in entries] == owned
