from tests.clients.kubectl import Kubectl, needs_kubectl

pytestmark = needs_kubectl

_MANIFEST = """
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {tier: front}}
spec:
  containers: [{name: web, image: "nginx:1"}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue}
"""


def test_run_creates_a_pod_that_get_shows(kubectl: Kubectl) -> None:
    assert kubectl("run", "web", "--image", "nginx:1") == "pod/web created\n"
    header, row = kubectl("get", "pods").splitlines()
    assert header.split() == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    assert row.split()[:4] == ["web", "0/1", "Pending", "0"]


def test_apply_creates_then_changes_then_leaves_alone(kubectl: Kubectl) -> None:
    assert kubectl("apply", "-f", "-", stdin=_MANIFEST) == "pod/web created\nconfigmap/settings created\n"
    changed = _MANIFEST.replace("blue", "red")
    assert kubectl("apply", "-f", "-", stdin=changed) == "pod/web unchanged\nconfigmap/settings configured\n"
    assert kubectl("get", "configmap", "settings", "-o", "jsonpath={.data.colour}") == "red"


def test_server_side_apply_is_understood(kubectl: Kubectl) -> None:
    printed = kubectl("apply", "--server-side", "-f", "-", stdin=_MANIFEST)
    assert printed == "pod/web serverside-applied\nconfigmap/settings serverside-applied\n"


def test_explain_finds_the_fields_of_containers(kubectl: Kubectl) -> None:
    printed = kubectl("explain", "pod.spec.containers")
    assert "FIELD: containers <[]Container>" in printed
    assert "image\t<string>" in printed


def test_api_resources_shows_short_names(kubectl: Kubectl) -> None:
    rows = [line.split() for line in kubectl("api-resources", "--no-headers").splitlines()]
    assert ["pods", "po", "v1", "true", "Pod"] in rows
    assert ["poddisruptionbudgets", "pdb", "policy/v1", "true", "PodDisruptionBudget"] in rows


def test_label_delete_and_wait_end_well(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=_MANIFEST)
    assert kubectl("label", "pod", "web", "a=b") == "pod/web labeled\n"
    assert kubectl("delete", "pod", "-l", "a=b").startswith('pod "web" deleted')
    assert kubectl("wait", "--for=delete", "pod/web", "--timeout=60s") == ""
