import pytest

from memkube.apis.core.v1.pods.types import Binding
from memkube.apis.core.v1.pods.validation import validate_binding
from memkube.apis.core.v1.references import ObjectReference


@pytest.mark.parametrize(
    ("target", "errors"),
    [
        (ObjectReference(kind="Node", name="n"), []),
        (ObjectReference(name="n"), []),
        (ObjectReference(), ["target.name: Required value"]),
        (
            ObjectReference(kind="Pod", name="n"),
            ['target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"'],
        ),
    ],
)
def test_the_target_is_a_node_with_a_name(target: ObjectReference, errors: list[str]) -> None:
    assert [str(error) for error in validate_binding(Binding(target=target))] == errors
