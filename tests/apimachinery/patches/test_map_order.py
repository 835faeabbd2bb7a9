from memkube.apimachinery.patches import with_sorted_maps
from memkube.apimachinery.schema import struct_of
from tests.apimachinery.widgets import Widget


def test_keys_of_maps_are_sorted_and_fields_of_structs_are_not() -> None:
    document = {"spec": {"tags": ["b", "a"], "limits": {"memory": "2", "cpu": "1"}}}
    written = with_sorted_maps(struct_of(Widget), document)
    assert list(written["spec"]) == ["tags", "limits"]
    assert list(written["spec"]["limits"]) == ["cpu", "memory"]
    assert written == document
