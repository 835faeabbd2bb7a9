import pytest

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.forms import ModelForm
from memkube.apimachinery.model import ApiModel, Document
from memkube.apimachinery.protobuf import Messages, open_envelope
from memkube.apimachinery.schema import struct_of
from memkube.apis.core.v1.configmaps.types import ConfigMap
from memkube.apis.core.v1.namespaces.types import Namespace
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.secrets.types import Secret
from memkube.apis.core.v1.serviceaccounts.types import ServiceAccount
from memkube.apis.policy.v1.poddisruptionbudgets.types import PodDisruptionBudget
from tests.apis import kubectl_bodies

DEBUGGER: Document = {
    "volumes": [{"name": "host-root", "hostPath": {"path": "/"}}],
    "containers": [
        {
            "name": "debugger",
            "image": "busybox",
            "command": ["sleep", "1"],
            "resources": {},
            "volumeMounts": [{"name": "host-root", "mountPath": "/host"}],
            "terminationMessagePolicy": "File",
            "securityContext": {"privileged": True},
        }
    ],
    "restartPolicy": "Never",
    "nodeName": "n1",
    "hostNetwork": True,
    "hostPID": True,
    "hostIPC": True,
    "tolerations": [{"operator": "Exists"}],
}


@pytest.mark.parametrize(
    ("model", "body", "content"),
    [
        (Namespace, kubectl_bodies.CREATE_NAMESPACE, {"metadata": {"name": "x"}, "spec": {}, "status": {}}),
        (
            ConfigMap,
            kubectl_bodies.CREATE_CONFIG_MAP,
            {"metadata": {"name": "settings"}, "data": {"a": "b"}, "binaryData": {"bin.dat": "/wBiaW5hcnk="}},
        ),
        (
            Secret,
            kubectl_bodies.CREATE_SECRET,
            {"metadata": {"name": "s"}, "data": {"p": "cQ=="}, "type": "example.com/t"},
        ),
        (ServiceAccount, kubectl_bodies.CREATE_SERVICE_ACCOUNT, {"metadata": {"name": "sa"}}),
        (
            Pod,
            kubectl_bodies.DEBUG_NODE,
            {"metadata": {"name": "node-debugger-n1-x2ktw"}, "spec": DEBUGGER, "status": {}},
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_kubectl_sent_is_understood(model: type[ApiModel], body: bytes, content: Document) -> None:
    envelope = open_envelope(body)
    assert envelope.kind == model.__name__
    data = Messages(go_package).decode(struct_of(model), envelope.message)
    assert ModelForm(model).decode(data).value.to_document() == content


def test_a_budget_of_kubectl_has_the_group_of_its_kind() -> None:
    envelope = open_envelope(kubectl_bodies.CREATE_BUDGET)
    assert (envelope.api_version, envelope.kind) == ("policy/v1", "PodDisruptionBudget")
    data = Messages(go_package).decode(struct_of(PodDisruptionBudget), envelope.message)
    assert data["spec"] == {"minAvailable": "50%", "selector": {"matchLabels": {"app": "web"}}}
