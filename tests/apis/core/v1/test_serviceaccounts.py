from memkube.apimachinery.time import Time
from memkube.apis.core.v1.serviceaccounts.strategy import ServiceAccountStrategy
from memkube.apis.core.v1.serviceaccounts.types import ServiceAccount

ANNOTATION = "kubernetes.io/enforce-mountable-secrets"
WARNING = (
    f"metadata.annotations[{ANNOTATION}]: deprecated in v1.32+; "
    "prefer separate namespaces to isolate access to mounted secrets"
)


def account(annotated: bool = False) -> ServiceAccount:
    annotations = {ANNOTATION: "true"} if annotated else {}
    return ServiceAccount.from_document({"metadata": {"name": "a", "annotations": annotations}})


def test_secrets_are_known_by_their_names_only() -> None:
    robot = ServiceAccount.from_document({"secrets": [{"name": "t", "kind": "Secret", "namespace": "x"}]})
    ServiceAccountStrategy().prepare_for_create(robot, Time("2026-01-01T00:00:00Z"))
    assert robot.to_document()["secrets"] == [{"name": "t"}]


def test_a_deprecated_annotation_warns_when_it_is_new() -> None:
    strategy = ServiceAccountStrategy()
    assert strategy.warnings_on_create(account(annotated=True)) == [WARNING]
    assert strategy.warnings_on_update(account(annotated=True), account()) == [WARNING]
    assert strategy.warnings_on_update(account(annotated=True), account(annotated=True)) == []
