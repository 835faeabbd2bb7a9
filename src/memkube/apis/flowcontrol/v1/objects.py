"""Built-in FlowSchemas and PriorityLevelConfigurations, and functions shared by both kinds.

Sources: apiserver's ``pkg/apis/flowcontrol/bootstrap``, ``pkg/apis/flowcontrol/validation``.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from memkube.apimachinery.field_errors import FieldError, FieldPath, duplicate, required
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import TypedString, quoted
from memkube.registry.declarations.request_options import MASTERS

CONDITION_MANAGER: Final = "api-priority-and-fairness-config-consumer-v1"
"""Field manager that writes the conditions of FlowSchemas."""
_NO_LEVEL: Final = "but there is no such object"
_ALL: Final = ["*"]
_EVERYBODY: Final = ("system:unauthenticated", "system:authenticated")
_NODES: Final = "system:nodes"
_CONTROLLER_MANAGER: Final = "system:kube-controller-manager"
_SCHEDULER: Final = "system:kube-scheduler"


class _Condition(Protocol):
    type: str


def validate_conditions(conditions: Sequence[_Condition], path: FieldPath) -> list[FieldError]:
    """Validate that no two conditions of an object have the same type."""
    errors: list[FieldError] = []
    types: set[str] = set()
    for index, condition in enumerate(conditions):
        item = path.item(index).child("type")
        if condition.type in types:
            errors.append(duplicate(item, TypedString(condition.type)))
        types.add(condition.type)
        if not condition.type:
            errors.append(required(item))
    return errors


def dangling_condition(level: str, *, found: bool, since: str) -> Document:
    """Return the Dangling condition of a FlowSchema (``util/flowcontrol/apf_controller.go``).

    `level` is the name of the priority level in the FlowSchema's spec, and `found` is True if this level exists.
    `since` is the time of the condition's last transition.
    """
    about = f"This FlowSchema references the PriorityLevelConfiguration object named {quoted(level)}"
    status, reason, rest = ("False", "Found", "and it exists") if found else ("True", "NotFound", _NO_LEVEL)
    return {
        "type": "Dangling",
        "status": status,
        "lastTransitionTime": since,
        "reason": reason,
        "message": f"{about} {rest}",
    }


def metadata_of_status_update(new: ObjectMeta, old: ObjectMeta) -> ObjectMeta:
    """Return the metadata that a status update stores: the old metadata with the new managed fields."""
    return old.model_copy(update={"managedFields": new.managedFields})


def _groups(*names: str) -> list[Document]:
    return [{"kind": "Group", "group": {"name": name}} for name in names]


def _users(*names: str) -> list[Document]:
    return [{"kind": "User", "user": {"name": name}} for name in names]


def _system_accounts() -> list[Document]:
    return [{"kind": "ServiceAccount", "serviceAccount": {"namespace": "kube-system", "name": "*"}}]


def _requests(verbs: list[str], group: str, *resources: str, cluster: bool = False) -> Document:
    rule: Document = {"verbs": verbs, "apiGroups": [group], "resources": list(resources)}
    if cluster:
        rule["clusterScope"] = True
    return {**rule, "namespaces": _ALL}


def _schema(level: str, precedence: int, method: str, rule: Document) -> Document:
    spec: Document = {"priorityLevelConfiguration": {"name": level}, "matchingPrecedence": precedence}
    if method:
        spec["distinguisherMethod"] = {"type": method}
    return {**spec, "rules": [rule]}


def _everything(subjects: list[Document]) -> Document:
    return {
        "subjects": subjects,
        "resourceRules": [_requests(_ALL, "*", "*", cluster=True)],
        "nonResourceRules": [{"verbs": _ALL, "nonResourceURLs": _ALL}],
    }


def _limited(shares: int, lendable: int, queues: int = 0, hand: int = 0) -> Document:
    response: Document = {"type": "Reject"}
    if queues:
        response = {"type": "Queue", "queuing": {"queues": queues, "handSize": hand, "queueLengthLimit": 50}}
    limits = {"nominalConcurrencyShares": shares, "limitResponse": response, "lendablePercent": lendable}
    return {"type": "Limited", "limited": limits}


def mandatory_levels() -> Mapping[str, Document]:
    """Return the specs of the mandatory PriorityLevelConfigurations by name.

    Clients cannot change these specs, except ``spec.exempt`` of the level ``exempt``.
    """
    exempt = {"nominalConcurrencyShares": 0, "lendablePercent": 0}
    return {"catch-all": _limited(5, 0), "exempt": {"type": "Exempt", "exempt": exempt}}


def suggested_levels() -> Mapping[str, Document]:
    """Return the specs of the suggested PriorityLevelConfigurations by name. The server creates them at its start."""
    return {
        "system": _limited(30, 33, 64, 6),
        "node-high": _limited(40, 25, 64, 6),
        "leader-election": _limited(10, 0, 16, 4),
        "workload-high": _limited(40, 50, 128, 6),
        "workload-low": _limited(100, 90, 128, 6),
        "global-default": _limited(20, 50, 128, 6),
    }


def mandatory_schemas() -> Mapping[str, Document]:
    """Return the specs of the mandatory FlowSchemas by name. Clients cannot change these specs."""
    return {
        "exempt": _schema("exempt", 1, "", _everything(_groups(MASTERS))),
        "catch-all": _schema("catch-all", 10000, "ByUser", _everything(_groups(*_EVERYBODY))),
    }


def suggested_schemas() -> Mapping[str, Document]:
    """Return the specs of the suggested FlowSchemas by name. The server creates them at its start."""
    leases = _requests(_ALL, "coordination.k8s.io", "leases")
    node_high = [_requests(_ALL, "", "nodes", "nodes/status", cluster=True), leases]
    probes = [{"verbs": ["get"], "nonResourceURLs": ["/healthz", "/readyz", "/livez"]}]
    election: dict[str, Any] = {
        "subjects": [*_users(_CONTROLLER_MANAGER, _SCHEDULER), *_system_accounts()],
        "resourceRules": [{**leases, "verbs": ["get", "create", "update"]}],
    }
    high, accounts = "workload-high", _groups("system:serviceaccounts")
    return {
        "system-nodes": _schema("system", 500, "ByUser", _everything(_groups(_NODES))),
        "system-node-high": _schema(
            "node-high", 400, "ByUser", {"subjects": _groups(_NODES), "resourceRules": node_high}
        ),
        "probes": _schema("exempt", 2, "", {"subjects": _groups(*_EVERYBODY), "nonResourceRules": probes}),
        "system-leader-election": _schema("leader-election", 100, "ByUser", election),
        "kube-controller-manager": _schema(high, 800, "ByNamespace", _everything(_users(_CONTROLLER_MANAGER))),
        "kube-scheduler": _schema(high, 800, "ByNamespace", _everything(_users(_SCHEDULER))),
        "kube-system-service-accounts": _schema(high, 900, "ByNamespace", _everything(_system_accounts())),
        "service-accounts": _schema("workload-low", 9000, "ByUser", _everything(accounts)),
        "global-default": _schema("global-default", 9900, "ByUser", _everything(_groups(*_EVERYBODY))),
    }
