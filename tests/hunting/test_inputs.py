"""Values of custom resources follow from their schemas."""

from typing import Any

import pytest

from memkube.hunting.description import Hunt, Step
from memkube.hunting.history import Change
from memkube.hunting.inputs import generated_inputs
from memkube.hunting.plan import Plan
from memkube.hunting.run import Observation


def plans(schema: dict[str, Any], *specs: dict[str, Any]) -> list[Plan]:
    """The plans for a custom resource that has these specs one after the other."""
    version = {"name": "v1", "schema": {"openAPIV3Schema": {"properties": {"spec": schema}}}}
    definition = {"spec": {"group": "example.com", "names": {"kind": "Widget"}, "versions": [version]}}
    changes = [Change("created", "CustomResourceDefinition", "widgets", "1", 0.0, definition, None)]
    for spec in specs:
        widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": spec}
        changes.append(Change("updated", "Widget", "w", "2", 0.0, widget, None))
    hunt = Hunt.model_validate({"operator": {"command": ["x"]}, "workload": [Step(run="true")]})
    return list(generated_inputs(hunt, Observation(changes=changes)))


def patches(schema: dict[str, Any], *specs: dict[str, Any]) -> list[Any]:
    """The values of the field ``a`` in the last step of each plan that does not lead back."""
    found = [plan.steps[-1].patch for plan in plans(schema, *specs) if not plan.returns]
    return [patch.patch["spec"]["a"] for patch in found if patch is not None]


@pytest.mark.parametrize(
    ("schema", "value", "others"),
    [
        ({"type": "integer"}, 2, [3, 1, 0]),
        ({"type": "integer", "minimum": 1, "maximum": 2}, 2, [1]),
        ({"type": "integer", "minimum": 5}, 9, [10, 8, 5]),
        ({"type": "boolean"}, True, [False]),
        ({"type": "string"}, "x", []),
        ({"enum": ["x", "y"]}, "x", ["y"]),
        ({"type": "array", "items": {"type": "string"}}, ["x", "y"], [["x", "y", "another"], ["x"], ["y"], []]),
        ({"type": "array", "minItems": 1, "items": {"enum": ["x"]}}, ["x"], []),
        ({"additionalProperties": {"type": "string"}}, {"x": "y"}, [{"another": "value"}, {"x": None}]),
    ],
)
def test_values_are_those_that_the_schema_allows(schema: dict[str, Any], value: Any, others: list[Any]) -> None:
    assert patches({"properties": {"a": schema}}, {"a": value}) == others


def test_texts_get_only_values_that_the_workload_shows() -> None:
    assert patches({"properties": {"a": {"type": "string"}}}, {"a": "x"}, {"a": "y"}) == ["x"]


def test_a_field_is_removed_only_if_the_schema_names_the_required_ones() -> None:
    field = {"a": {"type": "string"}}
    assert patches({"properties": field}, {"a": "x"}) == []
    assert patches({"properties": field, "required": ["b"]}, {"a": "x"}) == [None]
    assert patches({"properties": field, "required": ["a"]}, {"a": "x"}) == []


def test_all_values_are_tried_and_taken_back() -> None:
    (plan,) = [plan for plan in plans({"properties": {"a": {"type": "boolean"}}}, {"a": True}) if plan.returns]
    shown = [step.patch.patch for step in plan.steps if step.patch is not None]
    assert shown == [{"spec": {"a": False}}, {"spec": {"a": True}}]


def test_an_edge_is_also_tried_and_taken_back_alone() -> None:
    found = plans({"properties": {"a": {"type": "integer", "minimum": 5}}}, {"a": 9})
    alone = [plan for plan in found if plan.returns][1:]
    shown = [[step.patch.patch["spec"]["a"] for step in plan.steps if step.patch is not None] for plan in alone]
    assert shown == [[5, 9]]
    assert alone[0].about == "Widget w gets spec.a = 5 and then its old value again"


def test_a_resource_that_is_deleted_at_the_end_is_applied_again() -> None:
    schema = {"properties": {"a": {"type": "boolean"}}}
    hunt = Hunt.model_validate({"operator": {"command": ["x"]}, "workload": [Step(run="true")]})
    widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"a": True}}
    version = {"name": "v1", "schema": {"openAPIV3Schema": {"properties": {"spec": schema}}}}
    definition = {"spec": {"group": "example.com", "names": {"kind": "Widget"}, "versions": [version]}}
    changes = [
        Change("created", "CustomResourceDefinition", "widgets", "1", 0.0, definition, None),
        Change("created", "Widget", "w", "2", 0.0, widget, None),
        Change("deleted", "Widget", "w", "2", 0.0, widget, widget),
    ]
    found = list(generated_inputs(hunt, Observation(changes=changes)))
    assert all(plan.steps[0].apply == widget for plan in found)
