import pytest

from memkube.apis.rbac.v1.rolebindings.columns import PRINTER
from memkube.apis.rbac.v1.rolebindings.strategy import (
    ClusterRoleBindingStrategy,
    RoleBindingStrategy,
    validate_binding,
    validate_binding_update,
)
from memkube.apis.rbac.v1.rolebindings.types import ClusterRoleBinding, RoleBinding

_GROUP = "rbac.authorization.k8s.io"
_ROLE = {"apiGroup": _GROUP, "kind": "ClusterRole", "name": "view"}


def _binding(role: dict[str, str] = _ROLE, *subjects: dict[str, str]) -> RoleBinding:
    metadata = {"name": "a", "namespace": "default", "resourceVersion": "1"}
    return RoleBinding.from_document({"metadata": metadata, "roleRef": role, "subjects": list(subjects)})


def _cluster_binding(role: dict[str, str] = _ROLE, *subjects: dict[str, str]) -> ClusterRoleBinding:
    return ClusterRoleBinding.from_document({"metadata": {"name": "a"}, "roleRef": role, "subjects": list(subjects)})


def test_role_and_subjects_are_of_this_group_by_default() -> None:
    binding = _binding({"kind": "Role", "name": "r"}, {"kind": "User", "name": "u"}, {"kind": "ServiceAccount"})
    RoleBindingStrategy().default(binding)
    assert binding.roleRef.apiGroup == _GROUP
    assert [subject.apiGroup for subject in binding.subjects] == [_GROUP, ""]


def test_what_is_bound_in_the_cluster_is_a_cluster_role() -> None:
    role = {**_ROLE, "kind": "Role"}
    assert validate_binding(_binding(role)) == []
    [error] = validate_binding(_cluster_binding(role))
    assert str(error) == 'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'


@pytest.mark.parametrize(
    ("subject", "error"),
    [
        ({"kind": "Robot", "name": "a"}, "kind: Unsupported value"),
        ({"kind": "User", "name": "a"}, "apiGroup: Unsupported value"),
        ({"kind": "Group", "apiGroup": _GROUP}, "name: Required value"),
        ({"kind": "ServiceAccount", "name": "a", "apiGroup": _GROUP, "namespace": "x"}, "apiGroup: Unsupported value"),
        ({"kind": "ServiceAccount", "name": "A", "namespace": "x"}, "name: Invalid value"),
        ({"kind": "ServiceAccount", "name": "a"}, "namespace: Required value"),
    ],
)
def test_subjects_are_told_completely(subject: dict[str, str], error: str) -> None:
    [found] = validate_binding(_cluster_binding(_ROLE, subject))
    assert str(found).startswith(f"subjects[0].{error}")


def test_an_account_of_the_binding_itself_needs_no_namespace() -> None:
    assert validate_binding(_binding(_ROLE, {"kind": "ServiceAccount", "name": "a"})) == []


def test_the_role_is_immutable() -> None:
    [error] = validate_binding_update(_binding({**_ROLE, "name": "edit"}), _binding())
    shown = f'{{"APIGroup":"{_GROUP}","Kind":"ClusterRole","Name":"edit"}}'
    assert str(error) == f"roleRef: Invalid value: {shown}: cannot change roleRef"


def test_a_put_creates_a_binding() -> None:
    assert ClusterRoleBindingStrategy.allow_create_on_update
    assert RoleBindingStrategy.allow_create_on_update


def test_a_row_sorts_the_subjects() -> None:
    subjects = [
        {"kind": "User", "name": "u"},
        {"kind": "ServiceAccount", "name": "s", "namespace": "x"},
        {"kind": "User", "name": "v"},
    ]
    cells = PRINTER.row(_binding(_ROLE, *subjects).to_document()).cells
    assert [cells[1], *cells[3:]] == ["ClusterRole/view", "u, v", "", "x/s"]
