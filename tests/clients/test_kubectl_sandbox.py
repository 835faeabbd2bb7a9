"""kubectl's output about workloads, services, claims and nodes of a whole cluster."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest

from memkube.controllers.options import ControllerOptions
from memkube.server.kubeconfig import write_kubeconfig
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.clients.kubectl import Kubectl, needs_kubectl

pytestmark = [*needs_kubectl, pytest.mark.long]

_MANIFESTS: Final = """
apiVersion: v1
kind: ConfigMap
metadata: {name: colors}
data: {color: blue}
---
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 5432}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 2
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers:
      - {name: db, image: "postgres:17", volumeMounts: [{name: data, mountPath: /var/lib/postgresql}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: agent, image: "agent:1"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: reader, labels: {app: reader}}
spec:
  containers: [{name: main, image: nginx, volumeMounts: [{name: colors, mountPath: /etc/colors}]}]
  volumes: [{name: colors, configMap: {name: colors}}]
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server with all controllers and two nodes, on a stepped clock."""
    settings = Settings(clock="stepped", controller_options=ControllerOptions(nodes=2))
    with Server(settings).in_thread() as running:
        yield running


@pytest.fixture(scope="module")
def kubectl(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    """kubectl in a namespace with objects that several tests read."""
    kubeconfig = tmp_path_factory.mktemp("kubectl") / "kubeconfig"
    write_kubeconfig(kubeconfig, server.url)
    run = Kubectl(kubeconfig, "shop")
    run("create", "namespace", "shop")
    run("apply", "--filename=-", stdin=_MANIFESTS)
    run("create", "deployment", "web", "--image=nginx:1.27", "--replicas=2")
    run("expose", "deployment", "web", "--port=80")
    run("autoscale", "deployment", "web", "--min=2", "--max=5", "--cpu-percent=70")
    run("create", "poddisruptionbudget", "web", "--selector=app=web", "--min-available=1")
    run("create", "job", "hello", "--image=busybox", "--", "echo", "hello")
    run("create", "cronjob", "tick", "--image=busybox", "--schedule=*/5 * * * *", "--", "date")
    advance(server, 120)
    return run


@pytest.fixture
def own(server: Server, tmp_path: Path) -> Iterator[Kubectl]:
    """kubectl in a new namespace for the test."""
    write_kubeconfig(tmp_path / "kubeconfig", server.url)
    run = Kubectl(tmp_path / "kubeconfig", f"own-{uuid.uuid4().hex[:10]}")
    run("create", "namespace", run.namespace)
    yield run
    run("delete", "namespace", run.namespace, "--wait=false")
    advance(server, 60)


def advance(server: Server, seconds: int) -> None:
    httpx.post(f"{server.url}/memkube/v1/clock/advance", json={"seconds": seconds}, trust_env=False).raise_for_status()


def words(printed: str) -> str:
    """Return an output with single spaces between words, regardless of its columns."""
    return " ".join(printed.split())


@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        ("deployments", ["web 2/2 2 2"]),
        ("statefulsets", ["db 2/2"]),
        ("daemonsets", ["agent 2 2 2 2 2 <none>"]),
        ("job/hello", ["hello Complete 1/1 0s"]),
        ("cronjobs", ["tick */5 * * * * <none> False 0"]),
        ("hpa", ["web Deployment/web cpu: <unknown>/70% 2 5 2"]),
        ("poddisruptionbudgets", ["web 1 N/A 1"]),
        ("pods -l app=db", ["db-0 1/1 Running 0", "db-1 1/1 Running 0"]),
        ("serviceaccounts", ["default"]),
    ],
)
def test_get_shows_what_controllers_made(kubectl: Kubectl, kind: str, rows: list[str]) -> None:
    shown = kubectl("get", *kind.split(), "--no-headers").splitlines()
    assert len(shown) == len(rows)
    assert all(words(line).startswith(row) for line, row in zip(shown, rows, strict=True))


def test_claims_of_a_stateful_set_are_bound(kubectl: Kubectl) -> None:
    columns = "-o=custom-columns=N:.metadata.name,S:.status.phase,C:.status.capacity.storage,K:.spec.storageClassName"
    shown = kubectl("get", "pvc", "--no-headers", columns).splitlines()
    assert [words(line) for line in shown] == ["data-db-0 Bound 1Gi standard", "data-db-1 Bound 1Gi standard"]


@pytest.mark.parametrize(
    ("target", "texts"),
    [
        (
            "deployment/web",
            [
                "Replicas: 2 desired | 2 updated | 2 total | 2 available | 0 unavailable",
                "Available True MinimumReplicasAvailable Progressing True NewReplicaSetAvailable",
                "OldReplicaSets: <none>",
                "Normal ScalingReplicaSet",
            ],
        ),
        (
            "replicasets",
            [
                "Controlled By: Deployment/web",
                "Pods Status: 2 Running / 0 Waiting / 0 Succeeded / 0 Failed",
                "Normal SuccessfulCreate",
            ],
        ),
        (
            "pod/reader",
            [
                "Service Account: default",
                "/etc/colors from colors (rw) /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-",
                "Type: ConfigMap (a volume populated by a ConfigMap) Name: colors",
                "TokenExpirationSeconds: 3607 ConfigMapName: kube-root-ca.crt",
                "default-scheduler Successfully assigned shop/reader to node-",
                'kubelet Pulling image "nginx"',
                "kubelet Container started",
            ],
        ),
        (
            "pod/db-0",
            [
                "Controlled By: StatefulSet/db",
                "(a reference to a PersistentVolumeClaim in the same namespace) ClaimName: data-db-0",
            ],
        ),
        ("service/web", ["Type: ClusterIP", "TargetPort: 80/TCP", ":80,", "Session Affinity: None"]),
        ("service/db", ["IP: None", ":5432,"]),
        ("endpointslices", ["Ready: true", "TargetRef: Pod/db-0", "Hostname: db-1", "TargetRef: Pod/web-"]),
        (
            "statefulset/db",
            [
                "Replicas: 2 desired | 2 total",
                "Volume Claims: Name: data",
                "Create Claim data-db-0 Pod db-0 in StatefulSet db success",
                "Create Pod db-1 in StatefulSet db successful",
            ],
        ),
        ("daemonset/agent", ["Desired Number of Nodes Scheduled: 2", "Created pod: agent-"]),
        ("job/hello", ["0 Active (0 Ready) / 1 Succeeded / 0 Failed", "Command: echo hello", "Job completed"]),
        ("cronjob/tick", ["Schedule: */5 * * * *", "Concurrency Policy: Allow", "Successful Job History Limit: 3"]),
        (
            "hpa/web",
            [
                "resource cpu on pods (as a percentage of request): <unknown> / 70%",
                "AbleToScale True SucceededGetScale",
                "failed to get cpu utilization: missing request for cpu in container nginx of Pod web-",
            ],
        ),
        ("pvc/data-db-0", ["Status: Bound", "Used By: db-0", "Successfully provisioned volume pvc-"]),
        ("pv", ["Reclaim Policy: Delete", "Claim: shop/data-db-0", "Claim: shop/data-db-1"]),
        ("storageclass/standard", ["IsDefaultClass: Yes", "VolumeBindingMode: Immediate"]),
        ("configmap/colors", ["color: ---- blue"]),
        ("serviceaccount/default", ["Image pull secrets: <none>", "Tokens: <none>"]),
        ("pdb/web", ["Min available: 1", "Allowed disruptions: 1 Current: 2 Desired: 1 Total: 2"]),
        (
            "node/node-1",
            [
                "Taints: <none> Unschedulable: false",
                "Ready True",
                "kubelet is posting ready status",
                "Kubelet Version: v1.36.",
                "shop agent-",
                "Registered Node node-1 in Controller",
            ],
        ),
        ("namespace/shop", ["Status: Active No resource quota. No LimitRange resource."]),
    ],
)  # fmt: skip
def test_describe_tells_what_happened(kubectl: Kubectl, target: str, texts: list[str]) -> None:
    shown = words(kubectl("describe", target))
    assert [text for text in texts if text not in shown] == []


def test_top_shows_the_use_of_pods_and_nodes(kubectl: Kubectl) -> None:
    pods, nodes = kubectl("top", "pods", "-l", "app=db"), kubectl("top", "nodes").splitlines()
    assert [words(line) for line in pods.splitlines()] == [
        "NAME CPU(cores) MEMORY(bytes)",
        "db-0 1m 10Mi",
        "db-1 1m 10Mi",
    ]
    assert [line.split()[0] for line in nodes] == ["NAME", "node-1", "node-2"]


def test_a_service_is_reached_from_a_pod_and_through_a_forwarded_port(kubectl: Kubectl) -> None:
    fetched = kubectl(
        "run", "-i", "--rm", "test", "--image=busybox", "--restart=Never", "--", "wget", "-qO-", "http://web"
    )
    assert fetched.splitlines()[0].startswith("web-")
    with kubectl.started("port-forward", "service/web", ":80") as forwarding:
        assert forwarding.stdout is not None
        port = forwarding.stdout.readline().split("127.0.0.1:")[1].split()[0]
        assert httpx.get(f"http://127.0.0.1:{port}", trust_env=False).text.startswith("web-")


def test_a_container_sees_an_updated_config_map(kubectl: Kubectl, server: Server) -> None:
    read = ("exec", "reader", "--", "sh", "-c", "cat /etc/colors/..data/color; ls /etc/colors")
    assert kubectl(*read) == "bluecolor\n"
    assert kubectl("patch", "configmap", "colors", '--patch={"data":{"color":"red"}}') == "configmap/colors patched\n"
    advance(server, 60)
    assert kubectl(*read) == "redcolor\n"
    kubectl("patch", "configmap", "colors", '--patch={"data":{"color":"blue"}}')
    advance(server, 60)


def test_a_cron_job_runs_on_the_clock_and_by_hand(own: Kubectl, server: Server) -> None:
    printed = own("create", "cronjob", "tick", "--image=busybox", "--schedule=* * * * *", "--", "echo", "tock")
    assert printed == "cronjob.batch/tick created\n"
    advance(server, 120)
    assert [line.split()[1:3] for line in own("get", "jobs", "--no-headers").splitlines()] == [["Complete", "1/1"]] * 2
    assert own("create", "job", "now", "--from=cronjob/tick") == "job.batch/now created\n"
    assert own("wait", "--for=condition=complete", "job/now", "--timeout=60s") == "job.batch/now condition met\n"
    assert own("logs", "job/now") == "tock\n"


_ROLLOUT: Final = [
    ("create deployment web --image=nginx:1 --replicas=2", "deployment.apps/web created"),
    ("rollout status deployment/web", 'deployment "web" successfully rolled out'),
    ("expose deployment web --port=80 --target-port=8080", "service/web exposed"),
    ("set image deployment/web nginx=nginx:2", "deployment.apps/web image updated"),
    ("rollout status deployment/web", 'deployment "web" successfully rolled out'),
    ("rollout history deployment/web", "deployment.apps/web REVISION CHANGE-CAUSE 1 <none> 2 <none>"),
    ("rollout undo deployment/web", "deployment.apps/web rolled back"),
    ("rollout history deployment/web", "deployment.apps/web REVISION CHANGE-CAUSE 2 <none> 3 <none>"),
    ("get deployment web -o=jsonpath={..image}", "nginx:1"),
    ("rollout pause deployment/web", "deployment.apps/web paused"),
    ("set image deployment/web nginx=nginx:3", "deployment.apps/web image updated"),
    ("get pods -o=jsonpath={..spec.containers..image}", "nginx:1 nginx:1"),
    ("rollout resume deployment/web", "deployment.apps/web resumed"),
    ("rollout status deployment/web", 'deployment "web" successfully rolled out'),
    ("get pods -o=jsonpath={..spec.containers..image}", "nginx:3 nginx:3"),
    ("rollout restart deployment/web", "deployment.apps/web restarted"),
    ("scale deployment/web --replicas=3", "deployment.apps/web scaled"),
    ("rollout status deployment/web", 'deployment "web" successfully rolled out'),
    ("get deployment web --no-headers", "web 3/3 3 3"),
    ("autoscale deployment web --min=2 --max=4", "horizontalpodautoscaler.autoscaling/web autoscaled"),
]


def test_a_deployment_is_rolled_out_undone_paused_and_scaled(own: Kubectl) -> None:
    for command, printed in _ROLLOUT:
        shown = words(own(*command.split()).strip())
        # While a rollout is in progress, kubectl prints lines about it first.
        fits = shown.endswith(printed) if "status" in command else shown.startswith(printed)
        assert fits, f"kubectl {command}: {shown}"


def test_a_scaled_stateful_set_keeps_its_claims(own: Kubectl) -> None:
    own("apply", "--filename=-", stdin=_MANIFESTS)
    own("rollout", "status", "statefulset/db", "--timeout=60s")
    assert own("scale", "statefulset/db", "--replicas=1") == "statefulset.apps/db scaled\n"
    own("wait", "--for=delete", "pod/db-1", "--timeout=60s")
    assert own("get", "pods", "-l", "app=db", "--output=name") == "pod/db-0\n"
    names = own("get", "pvc", "--output=name").split()
    assert names == ["persistentvolumeclaim/data-db-0", "persistentvolumeclaim/data-db-1"]


def test_a_drained_node_keeps_only_pods_of_daemon_sets(kubectl: Kubectl) -> None:
    drained = kubectl.run(
        "drain", "node-2", "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=60s"
    )
    lines = drained.stdout.splitlines()
    assert (drained.returncode, lines[0], lines[-1]) == (0, "node/node-2 cordoned", "node/node-2 drained")
    assert "ignoring DaemonSet-managed Pods: shop/agent-" in words(drained.stderr)
    evicting = {line.split()[-1] for line in lines if line.startswith("evicting pod")}
    assert {f"shop/{line.split()[0].removeprefix('pod/')}" for line in lines if line.endswith(" evicted")} <= evicting
    left = kubectl("get", "pods", "--field-selector=spec.nodeName=node-2", "--output=name").split()
    assert [name.rpartition("-")[0] for name in left] == ["pod/agent"]
    assert kubectl("get", "node", "node-2", "--no-headers").split()[1] == "Ready,SchedulingDisabled"
    assert words(kubectl("get", "statefulset", "db", "--no-headers")).startswith("db 2/2")
    assert kubectl("uncordon", "node-2") == "node/node-2 uncordoned\n"
