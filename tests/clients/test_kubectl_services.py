import pytest

from tests.clients.kubectl import Kubectl, needs_kubectl

pytestmark = needs_kubectl


@pytest.mark.parametrize(
    ("arguments", "row"),
    [
        (("clusterip", "web", "--tcp=80:8080"), ("ClusterIP", "<none>", "80/TCP")),
        (("clusterip", "web", "--clusterip=None"), ("ClusterIP", "<none>", "<none>")),
        (("nodeport", "web", "--tcp=80", "--node-port=30071"), ("NodePort", "<none>", "80:30071/TCP")),
        (("loadbalancer", "web", "--tcp=80"), ("LoadBalancer", "<pending>", "80:")),
        (("externalname", "web", "--external-name=a.example.com"), ("ExternalName", "a.example.com", "<none>")),
    ],
)
def test_services_of_each_type_can_be_created(
    kubectl: Kubectl, arguments: tuple[str, ...], row: tuple[str, ...]
) -> None:
    assert kubectl("create", "service", *arguments) == "service/web created\n"
    shown = kubectl("get", "svc", "web", "-o", "wide")
    assert all(cell in shown for cell in row)
    assert kubectl("delete", "service", "web").startswith('service "web" deleted')


def test_what_runs_pods_can_be_exposed(kubectl: Kubectl) -> None:
    kubectl("create", "deployment", "web", "--image=nginx", "--port=80")
    assert kubectl("expose", "deployment", "web", "--target-port=8080") == "service/web exposed\n"
    described = kubectl("describe", "svc", "web")
    assert "app=web" in described
    assert "8080/TCP" in described


def test_a_service_becomes_another_by_an_edit_of_its_type(kubectl: Kubectl) -> None:
    kubectl("create", "service", "clusterip", "web", "--tcp=80")
    kubectl("patch", "svc", "web", "-p", '{"spec":{"type":"NodePort"}}')
    assert "NodePort" in kubectl("get", "svc", "web")


def test_endpoints_are_described_with_a_warning(kubectl: Kubectl) -> None:
    done = kubectl.run("get", "endpoints")
    assert "Warning: v1 Endpoints is deprecated in v1.33+" in done.stderr


def test_a_selected_port_of_the_api_server_is_shown(kubectl: Kubectl) -> None:
    assert kubectl("get", "svc", "kubernetes", "-n", "default", "-o", "jsonpath={.spec.clusterIP}") == "10.0.0.1"
