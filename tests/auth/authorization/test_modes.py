"""Combinations of authorization modes."""

import pytest

from memkube.auth.authorization.modes import selected_modes
from memkube.errors import UsageError
from tests.auth.users import authorized_server


def test_modes_are_kept_in_their_order() -> None:
    assert selected_modes("RBAC, AlwaysDeny") == ("RBAC", "AlwaysDeny")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "at least one authorization-mode must be passed"),
        ("rbac", 'authorization-mode "rbac" is not a valid mode'),
        ("RBAC,RBAC", 'authorization-mode ["RBAC" "RBAC"] has mode specified more than once'),
        (
            "ABAC",
            "memkube does not support authorization-mode ABAC: use AlwaysAllow, AlwaysDeny, Node, RBAC, Webhook",
        ),
        ("Webhook", "authorization-mode Webhook's authorization config file not passed"),
    ],
)
def test_an_impossible_list_of_modes_is_an_error(text: str, error: str) -> None:
    with pytest.raises(UsageError) as raised:
        selected_modes(text)
    assert str(raised.value) == error


def test_always_deny_forbids_everything_but_to_masters() -> None:
    with authorized_server("AlwaysDeny") as users:
        refused = users.send("alice", "GET", "/api/v1/pods")
        assert refused.json()["message"] == (
            'pods is forbidden: User "alice" cannot list resource "pods" in API group "" at the cluster scope: '
            "Everything is forbidden."
        )
        assert users.admin("GET", "/api/v1/pods").status_code == 200


def test_browsers_may_not_guess_the_type_of_refusals() -> None:
    with authorized_server("AlwaysDeny") as users:
        refused = users.send("alice", "GET", "/api/v1/pods")
        assert refused.headers["x-content-type-options"] == "nosniff"
