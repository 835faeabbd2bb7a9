"""The kinds that this server has built in."""

from typing import Final

from memkube.apis.apps.v1.controllerrevisions.resource import RESOURCE as CONTROLLER_REVISIONS
from memkube.apis.apps.v1.deployments.resource import RESOURCE as DEPLOYMENTS
from memkube.apis.apps.v1.replicasets.resource import RESOURCE as REPLICA_SETS
from memkube.apis.apps.v1.statefulsets.resource import RESOURCE as STATEFUL_SETS
from memkube.apis.authentication.v1.resources import SELF_SUBJECT_REVIEWS
from memkube.apis.authorization.v1.resources import (
    LOCAL_SUBJECT_ACCESS_REVIEWS,
    SELF_SUBJECT_ACCESS_REVIEWS,
    SELF_SUBJECT_RULES_REVIEWS,
    SUBJECT_ACCESS_REVIEWS,
)
from memkube.apis.autoscaling.v1.scales.subresource import labels_in_query, scale_subresource
from memkube.apis.batch.v1.jobs.resource import RESOURCE as JOBS
from memkube.apis.coordination.v1.leases.resource import RESOURCE as LEASES
from memkube.apis.core.v1.configmaps.resource import RESOURCE as CONFIG_MAPS
from memkube.apis.core.v1.events.resource import RESOURCE as CORE_EVENTS
from memkube.apis.core.v1.namespaces.resource import RESOURCE as NAMESPACES
from memkube.apis.core.v1.nodes.resource import RESOURCE as NODES
from memkube.apis.core.v1.pods.resource import BINDINGS
from memkube.apis.core.v1.pods.resource import RESOURCE as PODS
from memkube.apis.core.v1.replicationcontrollers.resource import RESOURCE as REPLICATION_CONTROLLERS
from memkube.apis.core.v1.secrets.resource import RESOURCE as SECRETS
from memkube.apis.core.v1.serviceaccounts.resource import RESOURCE as SERVICE_ACCOUNTS
from memkube.apis.events.v1.events.resource import RESOURCE as EVENTS
from memkube.apis.policy.v1.evictions.subresource import SUBRESOURCE as EVICTION
from memkube.apis.policy.v1.poddisruptionbudgets.resource import RESOURCE as POD_DISRUPTION_BUDGETS
from memkube.registry.resource import Resource

GROUP_ORDER: Final = (
    "",
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "resource.k8s.io",
    "flowcontrol.apiserver.k8s.io",
)
"""Groups in the order in which discovery names them (``cmd/kube-apiserver/app/aggregator.go``: priorities)."""


def served_resources() -> list[Resource]:
    """Every built-in resource."""
    return [
        BINDINGS,
        CONFIG_MAPS,
        CORE_EVENTS,
        NAMESPACES,
        NODES,
        PODS.having(EVICTION),
        REPLICATION_CONTROLLERS.having(scale_subresource("v1", labels_in_query)),
        SECRETS,
        SERVICE_ACCOUNTS,
        CONTROLLER_REVISIONS,
        DEPLOYMENTS,
        REPLICA_SETS,
        STATEFUL_SETS,
        EVENTS,
        SELF_SUBJECT_REVIEWS,
        LOCAL_SUBJECT_ACCESS_REVIEWS,
        SELF_SUBJECT_ACCESS_REVIEWS,
        SELF_SUBJECT_RULES_REVIEWS,
        SUBJECT_ACCESS_REVIEWS,
        JOBS,
        POD_DISRUPTION_BUDGETS,
        LEASES,
    ]
