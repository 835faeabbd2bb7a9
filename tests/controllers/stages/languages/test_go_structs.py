"""Pods and Nodes as Go structs. Their use in expressions is tested in ``test_cel.py``."""

from memkube.cel.types import BOOL, INT, STRING, TIMESTAMP, list_of, map_of, struct
from memkube.controllers.framework.staged_kinds import NODES, PODS, StagedKind
from memkube.controllers.stages.languages.go_structs import GoStruct, struct_type_of, struct_types


def test_the_structs_are_those_that_kwok_registers() -> None:
    assert {each.name.removeprefix("v1.") for each in struct_types()} == {
        *("Node", "NodeSpec", "NodeStatus", "Pod", "PodSpec", "PodStatus"),
        *("Container", "ObjectMeta", "ResourceRequirements"),
    }


def test_fields_have_the_types_of_go() -> None:
    declared = {each.name: each.declared for each in struct_types()}
    fields = [("v1.Pod", "spec"), ("v1.PodSpec", "containers"), ("v1.PodSpec", "hostNetwork")]
    fields += [("v1.PodStatus", "startTime"), ("v1.ObjectMeta", "labels"), ("v1.PodSpec", "priority")]
    types = [struct("v1.PodSpec"), list_of(struct("v1.Container")), BOOL, TIMESTAMP, map_of(STRING, STRING), INT]
    assert [declared[name].field(field) for name, field in fields] == types


def test_scalars_behind_a_pointer_are_nullable() -> None:
    declared = {each.name: each.declared for each in struct_types()}["v1.PodSpec"]
    found = [declared.field(name) for name in ("priority", "schedulerName")]
    assert [type_ is not None and type_.nullable for type_ in found] == [True, False]


def test_only_pods_and_nodes_are_structs() -> None:
    kinds = PODS, NODES, StagedKind("v1", "ConfigMap")
    found = [struct_type_of(kind) for kind in kinds]
    assert [type_ and type_.name for type_ in found] == ["v1.Pod", "v1.Node", None]


def test_structs_with_the_same_data_are_equal() -> None:
    type_, other = struct_type_of(PODS), struct_type_of(NODES)
    assert type_ is not None
    assert other is not None
    pod = GoStruct(type_, {"metadata": {"name": "p"}})
    assert pod.equals(GoStruct(type_, {"metadata": {"name": "p"}}))
    assert not pod.equals(GoStruct(type_, {"metadata": {"name": "q"}}))
    assert not pod.equals(GoStruct(other, {"metadata": {"name": "p"}}))
