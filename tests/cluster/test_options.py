from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

import memkube


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
