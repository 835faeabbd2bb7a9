import pytest

from tests.clients.kubectl import Kubectl, needs_kubectl

pytestmark = needs_kubectl


def test_ingresses(kubectl: Kubectl) -> None:
    kubectl("create", "ingress", "web", "--class=nginx", "--rule=example.com/app*=web:80,tls=cert")
    line = kubectl("get", "ingress", "web", "--no-headers").split()
    assert line[:3] == ["web", "nginx", "example.com"]
    assert line[3:5] == ["80,", "443"]
    assert "cert terminates example.com" in kubectl("describe", "ingress", "web")


def test_kubectl_creates_and_describes_roles(kubectl: Kubectl) -> None:
    kubectl("create", "role", "reader", "--verb=get,list", "--resource=pods,deployments.apps")
    kubectl("create", "rolebinding", "readers", "--role=reader", "--user=ann", "--serviceaccount=default:robot")
    assert "deployments.apps  []                 []              [get list]" in kubectl("describe", "role", "reader")
    assert kubectl("get", "rolebinding", "readers", "-o", "wide", "--no-headers").split()[:2] == [
        "readers",
        "Role/reader",
    ]
    assert "ServiceAccount  robot  default" in kubectl("describe", "rolebinding", "readers")


def test_kubectl_creates_and_describes_cluster_roles(kubectl: Kubectl) -> None:
    name = f"monitor-{kubectl.namespace}"
    kubectl("create", "clusterrole", name, "--verb=get", "--non-resource-url=/metrics")
    kubectl("create", "clusterrolebinding", name, f"--clusterrole={name}", "--group=monitors")
    assert "[/metrics]" in kubectl("describe", "clusterrole", name)
    assert f"ClusterRole/{name}" in kubectl("get", "clusterrolebinding", name)
    assert "Group  monitors" in kubectl("describe", "clusterrolebinding", name)


def test_kubectl_creates_and_describes_priority_classes(kubectl: Kubectl) -> None:
    name = f"high-{kubectl.namespace}"
    kubectl("create", "priorityclass", name, "--value=1000", "--description=urgent", "--preemption-policy=Never")
    assert kubectl("get", "priorityclass", name, "--no-headers").split()[1:3] == ["1000", "false"]
    assert "urgent" in kubectl("describe", "priorityclass", name)


@pytest.mark.parametrize("kind", ["ingressclass", "networkpolicy", "runtimeclass", "componentstatus"])
def test_kinds_without_a_command_of_their_own_are_listed(kubectl: Kubectl, kind: str) -> None:
    assert kubectl.run("get", kind).returncode == 0
