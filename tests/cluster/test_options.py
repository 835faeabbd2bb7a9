from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

import memkube
from tests.auth.webhooks import reviewing

CLUSTER_ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"node": 2}, "unknown option 'node': did you mean 'nodes'"),
        ({"nodes": "2"}, "option 'nodes' must be a whole number, not '2'"),
        ({"nodes": -1}, "nodes"),
        ({"clock": "stoped"}, "stoped"),
        ({"controllers": "deploymnt"}, "unknown controller 'deploymnt': did you mean 'deployment-controller'"),
        ({"controllers": 3}, "option 'controllers' must be a string"),
        ({"admission": [1]}, "option 'admission' must be a string or strings"),
        ({"storage": "postgres:x"}, "postgres"),
        ({"port": "80"}, "option 'port' must be a number from 0 to 65535, not '80'"),
        ({"port": 70_000}, "port"),
        ({"authorization": "Webhook"}, "authorization-mode Webhook's authorization config file not passed"),
        (
            {"authorization_config": "a", "authorization": "RBAC"},
            "'authorization_config' cannot be given together with",
        ),
        ({"authorization_config": "/nofile"}, "cannot read the authorization configuration"),
        ({"authentication_config": 3}, "option 'authentication_config' must be a string"),
    ],
)
def test_a_wrong_option_is_a_usage_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises(memkube.UsageError, match=message) as refused:
        memkube.Memkube(**options)
    assert isinstance(refused.value, ValueError)
    assert "pydantic" not in str(refused.value)


def test_a_snapshot_that_does_not_exist_is_a_snapshot_error(tmp_path: Path) -> None:
    missing = tmp_path / "nofile"
    with pytest.raises(memkube.SnapshotError, match="nofile: No such file"):
        memkube.Memkube(snapshot=missing)
    with memkube.Memkube(controllers="none") as kube, pytest.raises(memkube.SnapshotError, match="nofile: No such"):
        kube.restore(missing)


def test_a_snapshot_that_cannot_be_written_is_a_snapshot_error(tmp_path: Path) -> None:
    with memkube.Memkube(controllers="none") as kube, pytest.raises(memkube.SnapshotError, match="No such file"):
        kube.snapshot().save(tmp_path / "missing" / "file.jsonl")


def test_manifests_that_cannot_be_exported_are_a_manifest_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with memkube.Memkube(controllers="none") as kube, pytest.raises(memkube.ManifestError, match="file"):
        kube.export(tmp_path / "file")
    with memkube.Memkube(controllers="none") as kube, pytest.raises(memkube.UsageError, match="did you mean 'kind'"):
        kube.export(tmp_path / "new", "knd")  # type: ignore[arg-type]  # this is the mistake


def test_a_cluster_checks_the_tokens_that_it_is_given() -> None:
    with memkube.Memkube(token="secret", controllers="none") as kube:
        refused = httpx.get(f"{kube.url}/api/v1/pods", headers={"Authorization": "Bearer other"}, trust_env=False)
        served = httpx.get(f"{kube.url}/api/v1/pods", headers={"Authorization": "Bearer secret"}, trust_env=False)
        assert (refused.status_code, served.status_code) == (401, 200)
        assert yaml.safe_load(kube.kubeconfig_content)["users"][0]["user"]["token"] == "secret"


def test_a_webhook_authenticates_tokens(tmp_path: Path) -> None:
    status = {"authenticated": True, "user": {"username": "alice"}}
    with (
        reviewing(tmp_path, lambda _: status) as (_, kubeconfig),
        memkube.Memkube(authentication_token_webhook_config_file=kubeconfig, controllers="none") as kube,
    ):
        url = f"{kube.url}/apis/authentication.k8s.io/v1/selfsubjectreviews"
        answer = httpx.post(url, json={}, headers={"Authorization": "Bearer any"}, trust_env=False)
    assert answer.json()["status"]["userInfo"]["username"] == "alice"


def test_a_webhook_authorizes_requests(tmp_path: Path) -> None:
    with (
        reviewing(tmp_path, lambda spec: {"allowed": spec["resourceAttributes"]["resource"] == "pods"}) as (
            _,
            kubeconfig,
        ),
        memkube.Memkube(
            authorization="Webhook",
            authorization_webhook_config_file=kubeconfig,
            anonymous_auth=True,
            controllers="none",
        ) as kube,
    ):
        answers = [httpx.get(f"{kube.url}{path}", trust_env=False) for path in ("/api/v1/pods", "/api/v1/secrets")]
    assert [answer.status_code for answer in answers] == [200, 403]


def test_a_configuration_file_names_the_authorizers(tmp_path: Path) -> None:
    file = tmp_path / "authorization.yaml"
    file.write_text(
        "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n"
        "authorizers: [{type: RBAC, name: rbac}]\n"
    )
    with memkube.Memkube(authorization_config=file, controllers="none") as kube:
        answer = httpx.get(f"{kube.url}{CLUSTER_ROLES}", trust_env=False)
        assert answer.status_code == 403
        assert kube.list("clusterroles")
