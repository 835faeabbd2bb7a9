"""Runs two programs with each fault of requests: one that fails, and one that handles the fault.

The programs use the official client, whose own retries (urllib3's) are part of the test.
"""

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import urllib3
from kubernetes import client, utils

from memkube import Memkube, faults
from memkube.faults.effects import ErrorCode
from tests.clients.kubectl import Kubectl, needs_kubectl
from tests.clients.workloads import config_map
from tests.hooks.listening import LOOPBACK, Certificates, listening, review

pytestmark = pytest.mark.memkube(controllers="none")
_PASSING = (429, 500, 503, 504)
_Lost = (urllib3.exceptions.ProtocolError, urllib3.exceptions.ReadTimeoutError)


@pytest.fixture
def core(memkube: Memkube) -> Iterator[Any]:
    with client.ApiClient(client.Configuration(host=memkube.url)) as connected:
        yield client.CoreV1Api(connected)


def create(core: Any, **options: Any) -> None:
    """Create a ConfigMap without handling errors."""
    core.create_namespaced_config_map("default", config_map("settings", colour="blue"), **options)


def create_patiently(core: Any, **options: Any) -> None:
    """Create a ConfigMap with retries. A 409 means that an earlier attempt was successful."""
    for _ in range(5):
        try:
            create(core, **options)
        except client.ApiException as error:
            if error.status == 409:
                return
            if error.status not in _PASSING:
                raise
            time.sleep(float(error.headers.get("Retry-After", 0)) / 100)
        except _Lost:
            continue
        else:
            return
    raise AssertionError("it has given up")


@pytest.mark.parametrize("code", _PASSING)
def test_a_refusal_that_passes_breaks_who_does_not_try_again(memkube: Memkube, core: Any, code: ErrorCode) -> None:
    with memkube.faults.add(faults.error(code), verb="create", resource="configmaps", first=3) as fault:
        with pytest.raises(client.ApiException) as refused:
            create(core)
        assert refused.value.status == code
        create_patiently(core)
    assert (fault.hits, core.read_namespaced_config_map("settings", "default").data) == (3, {"colour": "blue"})


@pytest.mark.parametrize("after_write", [False, True])
def test_a_lost_connection_breaks_who_takes_it_for_a_failure(memkube: Memkube, core: Any, after_write: bool) -> None:
    lost = faults.drop(after_write=after_write)
    with memkube.faults.add(lost, verb="create", resource="configmaps", first=2) as fault:
        with pytest.raises(urllib3.exceptions.ProtocolError):
            create(core)
        create_patiently(core)
    assert fault.hits == 2
    assert core.read_namespaced_config_map("settings", "default").data == {"colour": "blue"}


def test_a_request_that_takes_too_long_breaks_who_takes_it_for_a_failure(memkube: Memkube, core: Any) -> None:
    with memkube.faults.add(faults.delay(0.3, wall=True), verb="create", resource="configmaps", first=2) as fault:
        with pytest.raises(urllib3.exceptions.ReadTimeoutError):
            create(core, _request_timeout=0.1)
        create_patiently(core, _request_timeout=0.1)
    assert fault.hits == 2


def test_a_conflict_breaks_who_does_not_read_again(memkube: Memkube, core: Any) -> None:
    create(core)

    def paint() -> None:
        found = core.read_namespaced_config_map("settings", "default")
        found.data["colour"] = "red"
        core.replace_namespaced_config_map("settings", "default", found)

    with memkube.faults.add(faults.error(409), verb="update", name="settings", first=2) as fault:
        with pytest.raises(client.ApiException, match="the object has been modified"):
            paint()
        utils.retry_on_conflict(paint)
    assert fault.hits == 2
    assert core.read_namespaced_config_map("settings", "default").data == {"colour": "red"}


def pages(core: Any, token: str | None = None) -> Iterator[str]:
    """Yield the names in all pages of a list."""
    while token != "":
        page = core.list_namespaced_config_map("default", limit=2, _continue=token)
        yield from (found.metadata.name for found in page.items)
        token = page.metadata._continue or ""


def all_names(core: Any) -> list[str]:
    """Return the names in all pages of a list. Start again if the continue token has expired."""
    try:
        return list(pages(core))
    except client.ApiException as error:
        if error.status != 410:
            raise
        return all_names(core)


def test_a_list_that_expires_on_the_way_breaks_who_does_not_begin_anew(memkube: Memkube, core: Any) -> None:
    for number in range(5):
        core.create_namespaced_config_map("default", config_map(f"settings-{number}"))
    with memkube.faults.add(faults.error(410), verb="list", resource="configmaps", after=1, every=2, first=2) as fault:
        with pytest.raises(client.ApiException, match="Expired"):
            list(pages(core))
        assert all_names(core) == [f"settings-{number}" for number in range(5)]
    assert fault.hits == 2


def count(core: Any, *, checked: bool) -> None:
    """Increment a number in a ConfigMap. Without `checked`, the write overwrites changes of other writers."""
    found = core.read_namespaced_config_map("count", "default")
    version = {"resourceVersion": found.metadata.resource_version} if checked else {}
    patch = {"metadata": version, "data": {"value": str(int(found.data["value"]) + 1)}}
    core.patch_namespaced_config_map("count", "default", patch)


@pytest.mark.parametrize(("checked", "value"), [(False, "2"), (True, "3")])
def test_a_stale_read_loses_the_update_of_who_does_not_check(
    memkube: Memkube, core: Any, checked: bool, value: str
) -> None:
    core.create_namespaced_config_map("default", config_map("count", value="1"))
    with memkube.faults.add(faults.stale_reads(), verb="get", name="count", first=1) as fault:
        core.patch_namespaced_config_map("count", "default", {"data": {"value": "2"}})
        if checked:
            utils.retry_on_conflict(lambda: count(core, checked=True))
        else:
            count(core, checked=False)
    assert (fault.hits, core.read_namespaced_config_map("count", "default").data["value"]) == (1, value)


def test_a_webhook_that_times_out_breaks_who_does_not_try_again(memkube: Memkube, core: Any) -> None:
    authority = Certificates.make()
    with listening(authority.issue(LOOPBACK), review) as hook:
        rule = {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}
        webhook = {
            "name": "check.example.com",
            "clientConfig": {"url": hook.url, "caBundle": authority.encoded},
            "rules": [rule],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
        registered = client.AdmissionregistrationV1Api(core.api_client)
        registered.create_validating_webhook_configuration({"metadata": {"name": "check"}, "webhooks": [webhook]})
        with memkube.faults.add(faults.webhook_timeout("check.*"), resource="configmaps", first=2) as fault:
            with pytest.raises(client.ApiException, match="context deadline exceeded"):
                create(core)
            create_patiently(core)
    assert fault.hits == 2


def seems_gone(lease: Any, now: datetime) -> bool:
    """True if a lease has expired by this program's clock, which may differ from that of the holder."""
    age: timedelta = now - lease.spec.renew_time
    return age > timedelta(seconds=lease.spec.lease_duration_seconds)


def is_gone(read: Callable[[], Any], wait: Callable[[float], object]) -> bool:
    """True if a lease has not changed for its duration, as client-go's leader election decides."""
    before = read().spec
    wait(before.lease_duration_seconds)
    return bool(read().spec.renew_time == before.renew_time)


@pytest.mark.memkube(clock="stepped", controllers="kubelet")
def test_a_clock_that_drifts_fools_who_compares_it_with_their_own(memkube: Memkube, core: Any) -> None:
    leases = client.CoordinationV1Api(core.api_client)

    def renewed() -> Any:
        return leases.read_namespaced_lease("node-1", "kube-node-lease")

    with memkube.faults.add(faults.clock_drift(-120, node="node-1")):
        memkube.clock.advance(10)
        assert seems_gone(renewed(), memkube.clock.now())
        assert not is_gone(renewed, memkube.clock.advance), "the node renews it all the while"


@needs_kubectl[0]
@needs_kubectl[1]
def test_kubectl_waits_as_long_as_it_is_asked_to(memkube: Memkube, core: Any) -> None:
    kubectl = Kubectl(memkube.kubeconfig, "default")
    with memkube.faults.add(faults.error(429, retry_after=1), verb="create", resource="configmaps", first=2) as fault:
        with pytest.raises(client.ApiException, match="Too many requests"):
            create(core)
        assert kubectl("create", "configmap", "settings") == "configmap/settings created\n"
    assert fault.hits == 2
