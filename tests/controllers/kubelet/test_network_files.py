"""The files ``/etc/hosts``, ``/etc/hostname`` and ``/etc/resolv.conf`` of containers, and the names in them."""

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.kubelet.connections.client import logged
from tests.controllers.kubelet.sandbox import container, sandbox

pytestmark = pytest.mark.anyio
ALIASES = [{"ip": "192.0.2.1", "hostnames": ["foo", "bar"]}]
ENTRIES = "\n# Entries added by HostAliases.\n192.0.2.1\tfoo\tbar\n"
CLUSTER = "search default.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.0.0.10\noptions ndots:5\n"
DOMAIN = "default.svc.cluster.local"
FULL_NAME = f"kept.{DOMAIN}"
NODE = "search .\nnameserver 127.0.0.1\n"


@pytest.mark.parametrize(
    ("spec", "ending"),
    [
        ({}, "fe00::2\tip6-allrouters\n10.244.1.2\tweb\n"),
        ({"hostname": "shop"}, "10.244.1.2\tshop\n"),
        (
            {"hostname": "shop", "subdomain": "peers", "setHostnameAsFQDN": True},
            "10.244.1.2\tshop.peers.default.svc.cluster.local\tshop\n",
        ),
        ({"hostnameOverride": "named", "hostAliases": ALIASES}, f"10.244.1.2\tnamed\n{ENTRIES}"),
    ],
)
async def test_the_hosts_file_has_the_names_of_the_pod(spec: Document, ending: str) -> None:
    text = await _shown("/etc/hosts", spec)
    assert text.startswith("# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n")
    assert text.endswith(ending)


async def test_the_host_network_has_the_hosts_file_of_the_node() -> None:
    text = await _shown("/etc/hosts", {"hostNetwork": True, "hostAliases": ALIASES})
    assert text.startswith("# Kubernetes-managed hosts file (host network).\n127.0.0.1\tlocalhost\n")
    assert text.endswith(f"172.16.0.1\tnode-1\n{ENTRIES}")


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ({}, "web"),
        ({"hostname": "shop", "subdomain": "peers"}, "shop"),
        (
            {"hostname": "shop", "subdomain": "peers", "setHostnameAsFQDN": True},
            "shop.peers.default.svc.cluster.local",
        ),
        ({"hostNetwork": True}, "node-1"),
    ],
)
async def test_a_container_has_a_hostname(spec: Document, name: str) -> None:
    async with sandbox() as box:
        await box.run("cat /etc/hostname; hostname; echo $HOSTNAME", restartPolicy="Never", **spec)
        assert (await logged(box)).split() == [name] * 3


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({}, CLUSTER),
        ({"dnsPolicy": "Default"}, NODE),
        ({"hostNetwork": True}, NODE),
        ({"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}, CLUSTER),
        (
            {
                "dnsPolicy": "None",
                "dnsConfig": {
                    "nameservers": ["192.0.2.1"],
                    "searches": ["example.com"],
                    "options": [{"name": "ndots", "value": "2"}, {"name": "edns0"}],
                },
            },
            "search example.com\nnameserver 192.0.2.1\noptions ndots:2 edns0\n",
        ),
        (
            {
                "dnsConfig": {
                    "searches": ["example.com", "cluster.local"],
                    "options": [{"name": "ndots", "value": "1"}],
                },
            },
            CLUSTER.replace("\nname", " example.com\nname").replace("5", "1"),
        ),
    ],
)
async def test_the_resolver_follows_the_policy_and_the_configuration_of_the_pod(spec: Document, text: str) -> None:
    assert await _shown("/etc/resolv.conf", spec) == text


async def test_a_fourth_name_server_is_left_out() -> None:
    async with sandbox() as box:
        servers = ["192.0.2.1", "192.0.2.2", "192.0.2.3"]
        await box.run("cat /etc/resolv.conf", dnsConfig={"nameservers": servers})
        applied = "10.0.0.10 192.0.2.1 192.0.2.2"
        [message] = await box.events("DNSConfigForming")
        assert message == (
            "Nameserver limits were exceeded, some nameservers have been omitted, "
            f"the applied nameserver line is: {applied}"
        )
        lines = (await logged(box)).splitlines()
        assert " ".join(line.split()[1] for line in lines if line.startswith("nameserver")) == applied


async def test_a_container_keeps_its_own_file() -> None:
    async with sandbox() as box:
        config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "own"}, "data": {"hosts": "mine\n"}}
        await box.cluster.create(config)
        mounts = [
            {"name": "own", "mountPath": "/etc/hosts", "subPath": "hosts"},
            {"name": "empty", "mountPath": "/etc/resolv.conf"},
        ]
        await box.create(
            volumes=[{"name": "own", "configMap": {"name": "own"}}, {"name": "empty", "emptyDir": {}}],
            containers=[container("c0", "cat /etc/hosts; ls -d /etc/resolv.conf/", volumeMounts=mounts)],
        )
        assert await logged(box) == "mine\n/etc/resolv.conf/\n"


async def test_a_container_can_mount_the_hosts_file_of_its_node() -> None:
    async with sandbox() as box:
        await box.create(
            volumes=[{"name": "node", "hostPath": {"path": "/etc/hosts"}}],
            containers=[container("c0", "tail -n 1 /hosts", volumeMounts=[{"name": "node", "mountPath": "/hosts"}])],
        )
        assert await logged(box) == "172.16.0.1\tnode-1\n"


@pytest.mark.parametrize(
    ("spec", "name", "answer"),
    [
        ({}, "kept", "10.0.0.7"),
        ({"hostAliases": [{"ip": "10.0.0.8", "hostnames": ["kept"]}]}, "kept", "10.0.0.8"),
        ({"dnsPolicy": "Default"}, FULL_NAME, ""),
        ({"dnsConfig": {"options": [{"name": "ndots", "value": "1"}]}}, "kept.default", "10.0.0.7"),
        ({"dnsPolicy": "None", "dnsConfig": {"nameservers": ["10.0.0.10"]}}, "kept", ""),
        ({"dnsPolicy": "None", "dnsConfig": {"nameservers": ["10.0.0.10"]}}, FULL_NAME, "10.0.0.7"),
        ({"dnsPolicy": "None", "dnsConfig": {"nameservers": ["10.0.0.10"], "searches": [DOMAIN]}}, "kept", "10.0.0.7"),
        ({"dnsPolicy": "None", "dnsConfig": {"nameservers": ["192.0.2.1"], "searches": [DOMAIN]}}, "kept", ""),
    ],
)
async def test_names_are_looked_up_as_the_files_say(spec: Document, name: str, answer: str) -> None:
    async with sandbox() as box:
        service = {"clusterIP": "10.0.0.7", "ports": [{"port": 80}]}
        await box.cluster.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "kept"}, "spec": service})
        await box.run(f"nslookup {name} 2> /dev/null | tail -n 1 | cut -d ' ' -f 3", **spec)
        assert await logged(box) == f"{answer}\n"


async def _shown(path: str, spec: Document) -> str:
    """Run a pod that shows a file, and return the file's contents."""
    async with sandbox() as box:
        await box.run(f"cat {path}", restartPolicy="Never", **spec)
        return await logged(box)
