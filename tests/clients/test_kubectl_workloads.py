import pytest

from tests.clients.kubectl import Kubectl, needs_kubectl

pytestmark = needs_kubectl

_TEMPLATE = '{metadata: {labels: {app: agent}}, spec: {containers: [{name: agent, image: "busybox:1"}]}}'
_MANIFEST = f"""
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: agent}}
spec:
  selector: {{matchLabels: {{app: agent}}}}
  template: {_TEMPLATE}
---
apiVersion: v1
kind: PodTemplate
metadata: {{name: made}}
template: {_TEMPLATE}
---
apiVersion: v1
kind: LimitRange
metadata: {{name: bounds}}
spec:
  limits: [{{type: Container, default: {{cpu: 100m}}}}]
"""


@pytest.fixture
def created(kubectl: Kubectl) -> Kubectl:
    """kubectl in a namespace with an object of each kind."""
    kubectl("apply", "-f", "-", stdin=_MANIFEST)
    kubectl("create", "quota", "few", "--hard=pods=2,limits.cpu=1")
    kubectl("create", "cronjob", "hourly", "--image=busybox:1", "--schedule=@hourly", "--", "date")
    kubectl("create", "deployment", "web", "--image=nginx:1")
    kubectl("autoscale", "deployment", "web", "--min=2", "--max=5", "--cpu-percent=70")
    return kubectl


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("daemonset", "agent 0 0 0 0 0 <none>"),
        ("podtemplate", "made agent busybox:1 app=agent"),
        ("cronjob", "hourly @hourly <none> False 0 <none>"),
        ("hpa", "web Deployment/web cpu: <unknown>/70% 2 5 0"),
        ("limitrange", "bounds"),
    ],
)
def test_get_shows_each_kind(created: Kubectl, kind: str, row: str) -> None:
    printed = created("get", kind, "--no-headers")
    assert " ".join(printed.split()).startswith(row)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("daemonset/agent", "Desired Number of Nodes Scheduled: 0"),
        ("podtemplate/made", "Image: busybox:1"),
        ("cronjob/hourly", "Concurrency Policy: Allow"),
        ("hpa/web", "resource cpu on pods (as a percentage of request): <unknown> / 70%"),
        ("limitrange/bounds", "Container cpu - - 100m 100m -"),
        ("quota/few", "Resource Used Hard"),
    ],
)
def test_describe_reads_each_kind(created: Kubectl, kind: str, text: str) -> None:
    printed = " ".join(created("describe", kind).split())
    assert text in printed


def test_a_job_can_be_made_from_a_cron_job(created: Kubectl) -> None:
    assert created("create", "job", "now", "--from=cronjob/hourly") == "job.batch/now created\n"
    owner = "jsonpath={.metadata.ownerReferences[0].name} {.metadata.annotations.cronjob\\.kubernetes\\.io/instantiate}"
    assert created("get", "job", "now", "-o", owner) == "hourly manual"


def test_a_daemon_set_can_be_restarted_and_its_count_grows(created: Kubectl) -> None:
    created("rollout", "restart", "daemonset/agent")
    count = "jsonpath={.metadata.annotations.deprecated\\.daemonset\\.template\\.generation}"
    assert created("get", "daemonset", "agent", "-o", count) == "2"


def test_a_refused_schedule_is_explained(kubectl: Kubectl) -> None:
    refused = kubectl.run("create", "cronjob", "odd", "--image=busybox", "--schedule=0 0 * * 7")
    assert "end of range (7) above maximum (6): 7" in refused.stderr
