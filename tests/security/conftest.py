"""A server with RBAC, and clients of users with few rights."""

from collections.abc import Iterator

import httpx
import pytest

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.auth.users import RBAC, SELECT_ALICE

ADMIN = {"Authorization": "Bearer root"}
ALICE = {"Authorization": "Bearer alice-token"}


@pytest.fixture(scope="session")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a stepped clock with the namespaces `open`, in which alice may do everything, and `vault`."""
    tokens = tmp_path_factory.mktemp("users") / "tokens.csv"
    tokens.write_text("alice-token,alice,1\n")
    users = AuthenticationOptions("root", tokens)
    settings = Settings(
        controllers=(), clock="stepped", authorizers=ConfiguredAuthorizers(("RBAC",)), authentication=users
    )
    with Server(settings).in_thread() as server:
        with httpx.Client(base_url=server.url, headers=ADMIN, trust_env=False) as admin:
            for name in ("open", "vault"):
                admin.post("/api/v1/namespaces", json={"metadata": {"name": name}}).raise_for_status()
            secret = {"metadata": {"name": "gold"}, "stringData": {"value": "treasure"}}
            admin.post("/api/v1/namespaces/vault/secrets", json=secret).raise_for_status()
            rules = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]
            role = {"metadata": {"name": "all"}, "rules": rules}
            admin.post(f"{RBAC}/namespaces/open/roles", json=role).raise_for_status()
            reference = {"kind": "Role", "name": "all", "apiGroup": "rbac.authorization.k8s.io"}
            binding = {"metadata": {"name": "all"}, "roleRef": reference, "subjects": [SELECT_ALICE]}
            admin.post(f"{RBAC}/namespaces/open/rolebindings", json=binding).raise_for_status()
        yield server


@pytest.fixture(scope="session")
def admin(target: Server) -> Iterator[httpx.Client]:
    """A client of a user who may do everything."""
    with httpx.Client(base_url=target.url, headers=ADMIN, trust_env=False, timeout=60) as client:
        yield client


@pytest.fixture(scope="session")
def alice(target: Server) -> Iterator[httpx.Client]:
    """A client of a user who may do everything in the namespace `open`, and nothing in others."""
    with httpx.Client(base_url=target.url, headers=ALICE, trust_env=False, timeout=60) as client:
        yield client
