from typing import Annotated, Any

import pytest
from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.model import ApiModel, restore_given


class Inner(ApiModel):
    names: Annotated[list[str], Required()] = Field(default_factory=list)


class Outer(ApiModel):
    inner: Inner = Field(default_factory=Inner)
    items: list[Inner] = Field(default_factory=list)
    labels: Annotated[dict[str, str], Always()] = Field(default_factory=dict)
    around: "Outer | None" = None


def test_what_is_written_as_null_is_read_as_nothing() -> None:
    outer = Outer.from_document({"inner": {"names": None}, "items": [{"names": None}], "labels": None})
    assert (outer.inner.names, outer.items[0].names, outer.labels) == ([], [], {})


def test_another_field_takes_no_null() -> None:
    with pytest.raises(ValueError, match="valid list"):
        Outer.from_document({"items": None})


@pytest.mark.parametrize(
    "document",
    [
        {"inner": {"names": []}, "labels": None},
        {"inner": {"names": None}, "labels": {}},
        {"inner": {"names": ["a"]}, "items": [{"names": []}, {"names": None}], "labels": None},
        {"inner": {"names": None}, "labels": None, "around": {"inner": {"names": []}, "labels": {}}},
    ],
)
def test_the_empty_lists_that_were_given_can_be_restored(document: dict[str, Any]) -> None:
    outer = Outer.from_document(document)
    written = outer.to_document()
    restore_given(outer, written)
    assert written == document
