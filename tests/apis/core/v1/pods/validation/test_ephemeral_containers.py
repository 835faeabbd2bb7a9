from typing import Any

from memkube.apis.core.v1.pods.validation import validate_pod_ephemeral_containers_update
from tests.apis.core.v1.pods.examples import container, created_pod

DEBUG = container(name="debug")
CHANGED_IMAGE = """\
@@ -1,6 +1,6 @@
 {
  "Name": "debug",
- "Image": "nginx:1.27",
+ "Image": "nginx:2",
  "Command": null,
  "Args": null,
  "WorkingDir": "",
"""


def errors_of(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[str]:
    before, after = created_pod(ephemeralContainers=old), created_pod(ephemeralContainers=new)
    return [str(error) for error in validate_pod_ephemeral_containers_update(after, before)]


def test_containers_may_be_added() -> None:
    assert errors_of([], [DEBUG]) == []


def test_containers_stay_as_they_are() -> None:
    path = "spec.ephemeralContainers: Forbidden: existing ephemeral containers"
    assert errors_of([DEBUG], []) == [f'{path} "debug" may not be removed\n']
    changed = errors_of([DEBUG], [{**DEBUG, "image": "nginx:2"}])
    assert changed == [f'{path} "debug" may not be changed\n{CHANGED_IMAGE}']


def test_what_a_service_needs_is_refused() -> None:
    serving = {**DEBUG, "ports": [{"containerPort": 80}], "livenessProbe": {}, "targetContainerName": "none"}
    assert errors_of([], [serving]) == [
        'spec.ephemeralContainers[0].targetContainerName: Not found: "none"',
        "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container",
        "spec.ephemeralContainers[0].livenessProbe: Forbidden: cannot be set for an Ephemeral Container",
    ]
