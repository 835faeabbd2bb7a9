from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.quota.quotas import Quota

_MERGE = {"Content-Type": "application/merge-patch+json"}


@pytest.fixture
def quota(client: httpx.Client, namespace: str) -> Quota:
    """A ResourceQuota of the test's namespace. The test creates it."""
    return Quota(client, namespace)


@pytest.fixture
def config_maps(namespace: str) -> str:
    """The URL path of the ConfigMaps in the test's namespace."""
    return f"/api/v1/namespaces/{namespace}/configmaps"


def config_map(name: str) -> dict[str, Any]:
    """Return a minimal ConfigMap."""
    return {"metadata": {"name": name}}


def test_a_quota_without_a_status_limits_nothing(client: httpx.Client, namespace: str, config_maps: str) -> None:
    body = {"metadata": {"name": "a"}, "spec": {"hard": {"configmaps": "0"}}}
    client.post(f"/api/v1/namespaces/{namespace}/resourcequotas", json=body).raise_for_status()
    assert client.post(config_maps, json=config_map("a")).status_code == 201


def test_what_is_created_is_charged_until_there_is_no_more(
    client: httpx.Client, config_maps: str, quota: Quota
) -> None:
    quota.limit({"count/configmaps": "1", "configmaps": "5"})
    client.post(config_maps, json=config_map("a")).raise_for_status()
    refused = client.post(config_maps, json=config_map("b"))
    why = "exceeded quota: quota, requested: count/configmaps=1, used: count/configmaps=1, limited: count/configmaps=1"
    assert (refused.status_code, refused.json()["message"]) == (403, f'configmaps "b" is forbidden: {why}')
    assert quota.used() == {"count/configmaps": "1", "configmaps": "1"}


def test_a_dry_run_is_checked_and_not_charged(client: httpx.Client, config_maps: str, quota: Quota) -> None:
    quota.limit({"configmaps": "1"})
    dry = {"dryRun": "All"}
    assert client.post(config_maps, params=dry, json=config_map("a")).status_code == 201
    assert quota.used() == {"configmaps": "0"}
    client.post(config_maps, json=config_map("a")).raise_for_status()
    assert client.post(config_maps, params=dry, json=config_map("b")).status_code == 403


def test_updates_and_deletions_of_what_is_only_counted_are_free(
    client: httpx.Client, config_maps: str, quota: Quota
) -> None:
    quota.limit({"configmaps": "1"})
    client.post(config_maps, json=config_map("a")).raise_for_status()
    client.patch(f"{config_maps}/a", json={"data": {"b": "c"}}, headers=_MERGE).raise_for_status()
    client.delete(f"{config_maps}/a").raise_for_status()
    assert quota.used() == {"configmaps": "1"}


def test_usage_that_is_not_known_yet_refuses(client: httpx.Client, config_maps: str, quota: Quota) -> None:
    quota.limit({"configmaps": "1"}, used={})
    message = client.post(config_maps, json=config_map("a")).json()["message"]
    assert message.endswith("status unknown for quota: quota, resources: configmaps")


def test_all_quotas_are_checked_before_one_is_charged(
    client: httpx.Client, config_maps: str, quota: Quota, namespace: str
) -> None:
    quota.limit({"configmaps": "5"})
    Quota(client, namespace, "other").limit({"configmaps": "0"})
    assert client.post(config_maps, json=config_map("a")).status_code == 403
    assert quota.used() == {"configmaps": "0"}


def test_many_writes_at_once_are_all_counted(client: httpx.Client, config_maps: str, quota: Quota) -> None:
    quota.limit({"configmaps": "12"})
    with ThreadPoolExecutor(8) as writers:
        codes = list(writers.map(lambda n: client.post(config_maps, json=config_map(f"a{n}")).status_code, range(20)))
    assert (codes.count(201), codes.count(403), quota.used()) == (12, 8, {"configmaps": "12"})


def test_objects_of_other_groups_are_counted_with_their_group(
    client: httpx.Client, namespace: str, quota: Quota
) -> None:
    quota.limit({"count/leases.coordination.k8s.io": "3", "count/leases": "3"})
    leases = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
    client.put(f"{leases}/a", json=config_map("a")).raise_for_status()
    assert quota.used() == {"count/leases.coordination.k8s.io": "1", "count/leases": "0"}


def test_events_are_not_counted(client: httpx.Client, namespace: str, quota: Quota) -> None:
    quota.limit({"count/events": "0"})
    about = {"kind": "Pod", "namespace": namespace, "name": "a"}
    event = {"metadata": {"name": "a"}, "involvedObject": about}
    assert client.post(f"/api/v1/namespaces/{namespace}/events", json=event).status_code == 201
