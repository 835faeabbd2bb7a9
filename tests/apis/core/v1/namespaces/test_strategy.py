from memkube.apis.core.v1.namespaces.strategy import (
    default_namespace,
    validate_namespace,
    validate_namespace_finalize_update,
    validate_namespace_status_update,
)
from memkube.apis.core.v1.namespaces.types import Namespace


def namespace(name: str = "a", phase: str = "Active", finalizers: tuple[str, ...] = (), **metadata: str) -> Namespace:
    return Namespace.from_document(
        {
            "metadata": {"name": name, "resourceVersion": "1", **metadata},
            "spec": {"finalizers": list(finalizers)},
            "status": {"phase": phase},
        }
    )


def test_a_namespace_is_labelled_with_its_name() -> None:
    made = namespace(phase="")
    default_namespace(made)
    assert made.metadata.labels == {"kubernetes.io/metadata.name": "a"}
    assert made.status.phase == "Active"


def test_a_name_has_no_dots() -> None:
    errors = [str(error) for error in validate_namespace(namespace("a.b"))]
    assert errors == ['metadata.name: Invalid value: "a.b": must not contain dots']


def test_finalizers_are_known_or_have_domains() -> None:
    assert validate_namespace(namespace(finalizers=("kubernetes", "a.b/c"))) == []
    assert [error.field for error in validate_namespace(namespace(finalizers=("hold",)))] == ["spec.finalizers"]
    update = validate_namespace_finalize_update(namespace(finalizers=("hold",)), namespace())
    assert [error.field for error in update] == ["spec.finalizers[0]"]


def test_the_phase_agrees_with_deletion() -> None:
    assert validate_namespace_status_update(namespace(), namespace()) == []
    active = validate_namespace_status_update(namespace(phase="Terminating"), namespace())
    assert [str(error) for error in active] == [
        "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"
    ]
    gone = namespace(deletionTimestamp="2026-01-01T00:00:00Z")
    terminating = validate_namespace_status_update(gone, gone)
    assert [error.field for error in terminating] == ["status.Phase"]
