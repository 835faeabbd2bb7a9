"""kubectl as several users of a server with RBAC."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from memkube.server.kubeconfig import write_kubeconfig
from memkube.server.server import Server
from memkube.server.serving_certificate import TlsOptions
from memkube.server.settings import Settings

pytestmark = pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on PATH")
ROLE = """
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: default}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]
"""
Kubectl = Callable[..., str]


@pytest.fixture
def kubectl(tmp_path: Path) -> Iterator[Kubectl]:
    """Return a function that runs kubectl as administrator and returns its output.

    The server also knows alice's token.
    """
    (tmp_path / "tokens.csv").write_text("alice-token,alice,1\n")
    users = AuthenticationOptions("root", tmp_path / "tokens.csv")
    settings = Settings(
        controllers=(), tls=TlsOptions(), authentication=users, authorizers=ConfiguredAuthorizers(("RBAC",))
    )
    with Server(settings).in_thread() as server:
        write_kubeconfig(tmp_path / "config", server.url, "root", server.authority)
        environment = {**os.environ, "KUBECONFIG": str(tmp_path / "config"), "HOME": str(tmp_path)}

        def run(*arguments: str, stdin: str = "") -> str:
            command = ["kubectl", *arguments]
            done = subprocess.run(
                command, env=environment, input=stdin, capture_output=True, text=True, timeout=60, check=False
            )
            return done.stdout + done.stderr

        yield run


def test_whoami_names_the_user_of_the_token(kubectl: Kubectl) -> None:
    assert "kubernetes-admin" in kubectl("auth", "whoami")
    assert "alice" in kubectl("--token", "alice-token", "auth", "whoami")


def test_a_wrong_token_is_told_apart_from_a_missing_right(kubectl: Kubectl) -> None:
    assert "You must be logged in to the server" in kubectl("--token", "wrong", "get", "pods")
    refusal = 'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"'
    assert refusal in kubectl("--token", "alice-token", "get", "pods")


def test_a_role_binding_changes_what_a_user_can_do(kubectl: Kubectl) -> None:
    assert kubectl("auth", "can-i", "get", "pods", "--as", "alice").strip() == "no"
    kubectl("create", "role", "reader", "--verb=get,list", "--resource=pods")
    kubectl("create", "rolebinding", "alice", "--role=reader", "--user=alice")
    assert kubectl("auth", "can-i", "get", "pods", "--as", "alice").strip() == "yes"
    assert "No resources found" in kubectl("get", "pods", "--as", "alice")
    assert "pods" in kubectl("auth", "can-i", "--list", "--as", "alice")


def test_a_user_may_not_impersonate_without_the_right(kubectl: Kubectl) -> None:
    # If discovery is refused, kubectl does not print the server's message.
    assert "(Forbidden)" in kubectl("--token", "alice-token", "get", "pods", "--as", "admin")


def test_reconcile_adds_the_rules_that_are_missing(kubectl: Kubectl) -> None:
    kubectl("create", "role", "reader", "--verb=get", "--resource=pods")
    assert "reconciled" in kubectl("auth", "reconcile", "-f", "-", stdin=ROLE)
    rules = kubectl("get", "role", "reader", "-o", "jsonpath={.rules[*].resources}")
    assert rules == '["pods"] ["secrets"]'
