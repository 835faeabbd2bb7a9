"""One memkube as an extension API server of another."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from memkube.server.app import create_app
from memkube.server.kubeconfig import write_kubeconfig
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.clients.kubectl import Kubectl, needs_kubectl
from tests.custom.gadgets import gadget, gadgets
from tests.endpoints.aggregation.extension import Extension, api_service, listening, register, settled

_API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
_AGGREGATED = {"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Extension]:
    """A memkube with a kind that `first` does not have."""
    app = create_app(Settings(controllers=()))
    app.state.parts.registry.catalog.serve(gadgets())
    with listening(app, tmp_path_factory.mktemp("second")) as running:
        yield running


@pytest.fixture(scope="module")
def first(second: Extension) -> Iterator[Server]:
    """A client of a memkube that proxies the kind's versions to `second`."""
    with (
        Server(Settings(controllers=())).in_thread() as running,
        httpx.Client(base_url=running.url, trust_env=False) as client,
    ):
        register(client, second)
        for version, priority in (("v1", 10), ("v1beta1", 20)):
            body = api_service(version, "example.com", caBundle=second.ca_bundle, versionPriority=priority)
            client.post(_API_SERVICES, json=body).raise_for_status()
            settled(client, body["metadata"]["name"])
        yield running


@pytest.fixture
def client(first: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=first.url, trust_env=False) as connected:
        yield connected


@pytest.fixture
def kubectl(first: Server, tmp_path: Path) -> Kubectl:
    write_kubeconfig(tmp_path / "kubeconfig", first.url)
    return Kubectl(tmp_path / "kubeconfig", "default")


def test_aggregated_discovery_names_versions_by_their_priorities(client: httpx.Client) -> None:
    items = client.get("/apis", headers=_AGGREGATED).json()["items"]
    [group] = [item for item in items if item["metadata"]["name"] == "example.com"]
    assert [version["version"] for version in group["versions"]] == ["v1beta1", "v1"]
    assert group["versions"][0]["resources"][0]["shortNames"] == ["gd"]


def test_a_group_stands_where_its_priority_puts_it(client: httpx.Client) -> None:
    groups = [group["name"] for group in client.get("/apis").json()["groups"]]
    assert groups[0] == "apiregistration.k8s.io"
    assert groups[-1] == "example.com"
    patch = {"spec": {"groupPriorityMinimum": 17_900}}
    headers = {"Content-Type": "application/merge-patch+json"}
    client.patch(f"{_API_SERVICES}/v1.example.com", content=json.dumps(patch), headers=headers).raise_for_status()
    assert client.get("/apis").json()["groups"][1]["name"] == "example.com"


def test_openapi_v3_is_that_of_the_other_server(client: httpx.Client) -> None:
    address = client.get("/openapi/v3").json()["paths"]["apis/example.com/v1"]["serverRelativeURL"]
    assert "com.example.v1.Gadget" in client.get(address).json()["components"]["schemas"]


def test_openapi_v2_holds_what_the_version_needs(client: httpx.Client) -> None:
    document = client.get("/openapi/v2").json()
    assert "/apis/example.com/v1/namespaces/{namespace}/gadgets" in document["paths"]
    assert "com.example.v1.Gadget" in document["definitions"]
    assert not any(path.endswith("_v2") for path in document["definitions"])


class TestKubectl:
    pytestmark = needs_kubectl

    def test_it_lists_the_resources(self, kubectl: Kubectl) -> None:
        printed = kubectl("api-resources", "--api-group=example.com", "--no-headers")
        assert printed.split() == ["gadgets", "gd", "example.com/v1beta1", "true", "Gadget"]

    def test_it_writes_and_reads_objects(self, kubectl: Kubectl) -> None:
        kubectl("create", "-f", "-", stdin=json.dumps(gadget("a")))
        assert kubectl("get", "gd", "--no-headers").split()[0] == "a"
        assert "gadgets" in kubectl("get", "--raw", "/apis/example.com/v1")
        kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=json.dumps(gadget("a", colour="blue")))
        assert kubectl("get", "gd", "a", "-o", "jsonpath={.spec.colour}") == "blue"
        kubectl("delete", "gd", "a")

    def test_it_explains_them(self, kubectl: Kubectl) -> None:
        assert "How large it is." in kubectl("explain", "gadget.spec")

    def test_it_watches_them(self, kubectl: Kubectl) -> None:
        kubectl("create", "-f", "-", stdin=json.dumps(gadget("first")))
        with kubectl.started("get", "gd", "--watch", "-o", "name") as watching:
            assert watching.stdout is not None
            assert watching.stdout.readline() == "gadget.example.com/first\n"
            kubectl("create", "-f", "-", stdin=json.dumps(gadget("second")))
            assert watching.stdout.readline() == "gadget.example.com/second\n"

    def test_it_tells_whether_the_version_can_be_had(self, kubectl: Kubectl) -> None:
        row = kubectl("get", "apiservice", "v1.example.com", "--no-headers").split()
        assert row[:3] == ["v1.example.com", "default/things", "True"]
