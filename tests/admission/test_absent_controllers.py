from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from memkube.apis.catalog import served_resources
from memkube.controllers.available import CONTROLLERS, absent_controllers, selected_names
from memkube.controllers.framework.staged_kinds import STAGES
from memkube.server.server import Server
from memkube.server.settings import Settings

_NAMESPACE = "namespaces/default"
_AUTOSCALER = {"maxReplicas": 2, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}
_CLAIMS = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}}
_SPECS: dict[str, dict[str, Any]] = {
    f"/apis/autoscaling/v1/{_NAMESPACE}/horizontalpodautoscalers": _AUTOSCALER,
    f"/apis/autoscaling/v2/{_NAMESPACE}/horizontalpodautoscalers": _AUTOSCALER,
    f"/apis/policy/v1/{_NAMESPACE}/poddisruptionbudgets": {"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}},
    f"/apis/resource.k8s.io/v1/{_NAMESPACE}/resourceclaimtemplates": {"spec": _CLAIMS},
    f"/api/v1/{_NAMESPACE}/services": {"ports": [{"port": 80}], "selector": {"a": "b"}},
}


@pytest.fixture(scope="module")
def partial() -> Iterator[httpx.Client]:
    """A client of a server without the controllers of HorizontalPodAutoscalers and EndpointSlices."""
    settings = Settings(controllers=selected_names("all,-horizontalpodautoscaling,-endpointslice"))
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url, trust_env=False) as connected:
        yield connected


def _warning(client: httpx.Client, path: str, **spec: object) -> str:
    """Create an object in a dry run. Return the warning in the response, or ""."""
    body = {"metadata": {"generateName": "a-"}, "spec": {**_SPECS[path], **spec}}
    answer = client.post(path, json=body, params={"dryRun": "All"})
    assert answer.status_code == 201, answer.text
    warning: str = answer.headers.get("Warning", "")
    return warning


@pytest.mark.parametrize(
    ("plural", "controller", "kind"),
    [
        ("horizontalpodautoscalers", "horizontal-pod-autoscaler-controller", "HorizontalPodAutoscaler"),
        ("services", "endpointslice-controller", "Service"),
    ],
)
def test_the_creator_of_an_object_is_warned_if_its_controller_does_not_run(
    partial: httpx.Client, plural: str, controller: str, kind: str
) -> None:
    text = f'299 - "{controller} does not run in this server, so nothing acts on this {kind}"'
    warnings = [_warning(partial, path) for path in _SPECS if path.endswith(f"/{plural}")]
    assert warnings == [text] * len(warnings) != []


@pytest.mark.parametrize("path", ["policy/v1/{}/poddisruptionbudgets", "resource.k8s.io/v1/{}/resourceclaimtemplates"])
def test_objects_of_controllers_that_run_have_no_warning(partial: httpx.Client, path: str) -> None:
    assert _warning(partial, f"/apis/{path.format(_NAMESPACE)}") == ""


def test_a_service_without_a_selector_needs_no_controller(partial: httpx.Client) -> None:
    assert _warning(partial, f"/api/v1/{_NAMESPACE}/services", selector=None) == ""


def test_an_api_server_alone_warns_of_nothing() -> None:
    settings = Settings(controllers=())
    with Server(settings).in_thread() as server, httpx.Client(base_url=server.url, trust_env=False) as connected:
        assert {_warning(connected, path) for path in _SPECS} == {""}


def test_a_server_that_lacks_only_scheduler_and_kubelet_has_all_controllers() -> None:
    assert not absent_controllers(selected_names("all,-scheduler,-kubelet"))


def test_controllers_act_on_resources_that_are_served() -> None:
    served = {(one.group, one.version, one.plural) for one in served_resources()}
    # Stage is a custom kind, so it is not among the served built-in kinds.
    assert {path for one in CONTROLLERS.values() for path in one.fulfills} <= served | {STAGES}
