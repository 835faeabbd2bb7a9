"""One of two servers runs the pods. The other one proxies requests about them to it, and takes over if it fails."""

import signal
import time
from typing import Any

import pytest

from tests.cli.processes import SOON
from tests.replicas.conftest import LEASE, Replica, Replicas

pytestmark = pytest.mark.long

PODS = "/api/v1/namespaces/default/pods"
RULES = "/memkube/v1/rules"
SCRIPT = "echo hello; sleep 1000"


def pod(name: str) -> dict[str, Any]:
    container = {"name": "app", "image": "busybox", "command": ["sh", "-c", SCRIPT]}
    return {"metadata": {"name": name}, "spec": {"containers": [container]}}


def running(replica: Replica, name: str) -> dict[str, Any]:
    """Create a pod, and wait until it runs."""
    current = replica.post(PODS, pod(name))
    changes = replica.changes(f"{PODS}?fieldSelector=metadata.name%3D{name}", current["metadata"]["resourceVersion"])
    while not any(c["type"] == "Ready" and c["status"] == "True" for c in current["status"].get("conditions") or ()):
        current = next(changes)["object"]
    return dict(current)


def taken_over(replica: Replica, former: str) -> float:
    """Return the number of seconds until another server is the leader."""
    began = time.monotonic()
    revision = replica.get(LEASE.rpartition("/")[0])["metadata"]["resourceVersion"]
    leader = replica.leader()
    changes = replica.changes(f"{LEASE.rpartition('/')[0]}?fieldSelector=metadata.name%3Dmemkube", revision)
    while leader in (former, ""):
        leader = (next(changes)["object"]["metadata"].get("annotations") or {}).get("memkube.dev/url", "")
    return time.monotonic() - began


def test_the_first_one_leads(replicas: Replicas) -> None:
    assert [replica.leader() for replica in replicas] == [replicas.first.url] * 2


def test_logs_are_read_through_the_other_one(replicas: Replicas) -> None:
    running(replicas.second, "logs")
    for replica in replicas:
        answer = replica.client.get(f"{PODS}/logs/log")
        assert (answer.status_code, answer.text) == (200, "hello\n")
        assert len(answer.headers.get_list("audit-id")) == 1


@pytest.mark.parametrize("websockets", ["true", "false"])
def test_commands_run_through_the_other_one(replicas: Replicas, websockets: str) -> None:
    name = f"exec-{websockets}"
    running(replicas.first, name)
    words = ("exec", name, "--", "sh", "-c", "echo out; echo err >&2; exit 3")
    done = replicas.second.kubectl(*words, KUBECTL_REMOTE_COMMAND_WEBSOCKETS=websockets)
    assert (done.returncode, done.stdout) == (3, "out\n")
    assert done.stderr.startswith("err\n")


def test_rules_are_put_through_the_other_one(replicas: Replicas) -> None:
    url = f"{RULES}/once"
    replicas.second.client.put(url, json={"image": "none", "exitCode": 3}).raise_for_status()
    assert replicas.first.get(url) == {"image": "none", "exitCode": 3}
    assert replicas.second.client.delete(url).status_code == 204
    assert replicas.second.client.get(url).status_code == 404


def test_metrics_are_read_through_the_other_server(replicas: Replicas) -> None:
    for replica in replicas:
        nodes = replica.get("/apis/metrics.k8s.io/v1beta1/nodes")["items"]
        assert [node["metadata"]["name"] for node in nodes] == ["node-1"]


def test_ports_of_pods_are_reached_through_the_other_server(replicas: Replicas) -> None:
    container = {"name": "web", "image": "nginx", "ports": [{"containerPort": 80}]}
    created = {"metadata": {"name": "port", "labels": {"app": "port"}}, "spec": {"containers": [container]}}
    revision = replicas.first.post(PODS, created)["metadata"]["resourceVersion"]
    changes = replicas.first.changes(f"{PODS}?fieldSelector=metadata.name%3Dport", revision)
    while next(changes)["object"]["status"]["phase"] != "Running":
        pass
    answers = [replica.client.get(f"{PODS}/port/proxy/") for replica in replicas]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].text == answers[1].text


def test_scheduling_is_explained_through_the_other_server(replicas: Replicas) -> None:
    running(replicas.first, "explained")
    for replica in replicas:
        assert replica.get("/memkube/v1/scheduling/default/explained")["nodes"]
        assert "items" in replica.get("/memkube/v1/node-pools")


@pytest.mark.slow
def test_a_leader_that_is_killed_is_followed_within_its_lease(mortals: Replicas) -> None:
    leader, follower = mortals
    before = running(follower, "stays")
    follower.client.put(f"{RULES}/kept", json={"image": "none", "exitCode": 3}).raise_for_status()
    leader.served.process.kill()
    refused = follower.client.get(f"{PODS}/stays/log")
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
    assert refused.json()["reason"] == "ServiceUnavailable"
    # The duration of the lease, two pauses between attempts, and time for a busy machine.
    assert taken_over(follower, leader.url) < 6 + 3 + SOON
    running(follower, "comes")
    after = follower.get(f"{PODS}/stays")
    assert (after["metadata"]["uid"], after["status"]["podIP"]) == (
        before["metadata"]["uid"],
        before["status"]["podIP"],
    )
    assert after["status"]["containerStatuses"][0]["restartCount"] == 0
    assert follower.get(f"{RULES}/kept")["exitCode"] == 3
    assert follower.client.get(f"{PODS}/comes/log").text == "hello\n"


@pytest.mark.slow
def test_a_leader_that_is_told_to_stop_gives_the_lease_back(mortals: Replicas) -> None:
    leader, follower = mortals
    leader.served.process.send_signal(signal.SIGTERM)
    leader.served.process.wait(SOON)
    spec = follower.get(LEASE)["spec"]
    assert spec.get("holderIdentity", "") == "" or spec["leaseTransitions"] == 1
    taken_over(follower, leader.url)
    assert follower.leader() == follower.url
    running(follower, "comes")
