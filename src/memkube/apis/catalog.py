"""Catalog of all built-in API resources, with their subresources and the order of their groups."""

from typing import Final

from memkube.apis.admissionregistration.v1.mutatingadmissionpolicies.resource import (
    MUTATING_ADMISSION_POLICIES,
    MUTATING_ADMISSION_POLICY_BINDINGS,
)
from memkube.apis.admissionregistration.v1.validatingadmissionpolicies.resource import (
    VALIDATING_ADMISSION_POLICIES,
    VALIDATING_ADMISSION_POLICY_BINDINGS,
)
from memkube.apis.admissionregistration.v1.webhookconfigurations.resource import (
    MUTATING_WEBHOOK_CONFIGURATIONS,
    VALIDATING_WEBHOOK_CONFIGURATIONS,
)
from memkube.apis.apiextensions.v1.customresourcedefinitions.resource import RESOURCE as CUSTOM_RESOURCE_DEFINITIONS
from memkube.apis.apiregistration.v1.apiservices.resource import RESOURCE as API_SERVICES
from memkube.apis.apps.v1.controllerrevisions.resource import RESOURCE as CONTROLLER_REVISIONS
from memkube.apis.apps.v1.daemonsets.resource import RESOURCE as DAEMON_SETS
from memkube.apis.apps.v1.deployments.resource import RESOURCE as DEPLOYMENTS
from memkube.apis.apps.v1.replicasets.resource import RESOURCE as REPLICA_SETS
from memkube.apis.apps.v1.statefulsets.resource import RESOURCE as STATEFUL_SETS
from memkube.apis.authentication.v1.resources import SELF_SUBJECT_REVIEWS, TOKEN, TOKEN_REVIEWS
from memkube.apis.authorization.v1.resources import (
    LOCAL_SUBJECT_ACCESS_REVIEWS,
    SELF_SUBJECT_ACCESS_REVIEWS,
    SELF_SUBJECT_RULES_REVIEWS,
    SUBJECT_ACCESS_REVIEWS,
)
from memkube.apis.autoscaling.v1.horizontalpodautoscalers.resource import RESOURCE as HORIZONTAL_POD_AUTOSCALERS_V1
from memkube.apis.autoscaling.v1.scales.subresource import labels_in_query, scale_subresource
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.resource import RESOURCE as HORIZONTAL_POD_AUTOSCALERS_V2
from memkube.apis.batch.v1.cronjobs.resource import RESOURCE as CRON_JOBS
from memkube.apis.batch.v1.jobs.resource import RESOURCE as JOBS
from memkube.apis.certificates.v1.certificatesigningrequests.resource import RESOURCE as CERTIFICATE_SIGNING_REQUESTS
from memkube.apis.coordination.v1.leases.resource import RESOURCE as LEASES
from memkube.apis.core.v1.componentstatuses.resource import RESOURCE as COMPONENT_STATUSES
from memkube.apis.core.v1.configmaps.resource import RESOURCE as CONFIG_MAPS
from memkube.apis.core.v1.endpoints.resource import RESOURCE as ENDPOINTS
from memkube.apis.core.v1.events.resource import RESOURCE as CORE_EVENTS
from memkube.apis.core.v1.limitranges.resource import RESOURCE as LIMIT_RANGES
from memkube.apis.core.v1.namespaces.resource import RESOURCE as NAMESPACES
from memkube.apis.core.v1.nodes.resource import RESOURCE as NODES
from memkube.apis.core.v1.persistentvolumeclaims.resource import RESOURCE as PERSISTENT_VOLUME_CLAIMS
from memkube.apis.core.v1.persistentvolumes.resource import RESOURCE as PERSISTENT_VOLUMES
from memkube.apis.core.v1.pods.resource import BINDINGS
from memkube.apis.core.v1.pods.resource import RESOURCE as PODS
from memkube.apis.core.v1.podtemplates.resource import RESOURCE as POD_TEMPLATES
from memkube.apis.core.v1.replicationcontrollers.resource import RESOURCE as REPLICATION_CONTROLLERS
from memkube.apis.core.v1.resourcequotas.resource import RESOURCE as RESOURCE_QUOTAS
from memkube.apis.core.v1.secrets.resource import RESOURCE as SECRETS
from memkube.apis.core.v1.serviceaccounts.resource import RESOURCE as SERVICE_ACCOUNTS
from memkube.apis.core.v1.services.resource import RESOURCE as SERVICES
from memkube.apis.discovery.v1.endpointslices.resource import RESOURCE as ENDPOINT_SLICES
from memkube.apis.events.v1.events.resource import RESOURCE as EVENTS
from memkube.apis.flowcontrol.v1.flowschemas.resource import RESOURCE as FLOW_SCHEMAS
from memkube.apis.flowcontrol.v1.prioritylevelconfigurations.resource import RESOURCE as PRIORITY_LEVEL_CONFIGURATIONS
from memkube.apis.networking.v1.ingressclasses.resource import RESOURCE as INGRESS_CLASSES
from memkube.apis.networking.v1.ingresses.resource import RESOURCE as INGRESSES
from memkube.apis.networking.v1.ipaddresses.resource import RESOURCE as IP_ADDRESSES
from memkube.apis.networking.v1.networkpolicies.resource import RESOURCE as NETWORK_POLICIES
from memkube.apis.networking.v1.servicecidrs.resource import RESOURCE as SERVICE_CIDRS
from memkube.apis.node.v1.runtimeclasses.resource import RESOURCE as RUNTIME_CLASSES
from memkube.apis.policy.v1.evictions.subresource import SUBRESOURCE as EVICTION
from memkube.apis.policy.v1.poddisruptionbudgets.resource import RESOURCE as POD_DISRUPTION_BUDGETS
from memkube.apis.rbac.v1.rolebindings.resource import CLUSTER_ROLE_BINDINGS, ROLE_BINDINGS
from memkube.apis.rbac.v1.roles.resource import CLUSTER_ROLES, ROLES
from memkube.apis.resource.v1.deviceclasses.resource import RESOURCE as DEVICE_CLASSES
from memkube.apis.resource.v1.resourceclaims.resource import RESOURCE as RESOURCE_CLAIMS
from memkube.apis.resource.v1.resourceclaimtemplates.resource import RESOURCE as RESOURCE_CLAIM_TEMPLATES
from memkube.apis.resource.v1.resourceslices.resource import RESOURCE as RESOURCE_SLICES
from memkube.apis.scheduling.v1.priorityclasses.resource import RESOURCE as PRIORITY_CLASSES
from memkube.apis.storage.v1.csidrivers.resource import RESOURCE as CSI_DRIVERS
from memkube.apis.storage.v1.csinodes.resource import RESOURCE as CSI_NODES
from memkube.apis.storage.v1.csistoragecapacities.resource import RESOURCE as CSI_STORAGE_CAPACITIES
from memkube.apis.storage.v1.storageclasses.resource import RESOURCE as STORAGE_CLASSES
from memkube.apis.storage.v1.volumeattachments.resource import RESOURCE as VOLUME_ATTACHMENTS
from memkube.apis.storage.v1.volumeattributesclasses.resource import RESOURCE as VOLUME_ATTRIBUTES_CLASSES
from memkube.registry.declarations.resource import Resource

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
"""API groups in the order in which discovery lists them (priorities in ``cmd/kube-apiserver/app/aggregator.go``)."""


def served_resources() -> list[Resource]:
    """Return the declarations of all built-in resources, each with its subresources."""
    return [
        BINDINGS,
        COMPONENT_STATUSES,
        CONFIG_MAPS,
        ENDPOINTS,
        CORE_EVENTS,
        LIMIT_RANGES,
        NAMESPACES,
        NODES,
        PERSISTENT_VOLUME_CLAIMS,
        PERSISTENT_VOLUMES,
        PODS.having(EVICTION),
        POD_TEMPLATES,
        REPLICATION_CONTROLLERS.having(scale_subresource("v1", labels_in_query)),
        RESOURCE_QUOTAS,
        SECRETS,
        SERVICE_ACCOUNTS.having(TOKEN),
        SERVICES,
        API_SERVICES,
        CONTROLLER_REVISIONS,
        DAEMON_SETS,
        DEPLOYMENTS,
        REPLICA_SETS,
        STATEFUL_SETS,
        EVENTS,
        SELF_SUBJECT_REVIEWS,
        TOKEN_REVIEWS,
        LOCAL_SUBJECT_ACCESS_REVIEWS,
        SELF_SUBJECT_ACCESS_REVIEWS,
        SELF_SUBJECT_RULES_REVIEWS,
        SUBJECT_ACCESS_REVIEWS,
        HORIZONTAL_POD_AUTOSCALERS_V2,
        HORIZONTAL_POD_AUTOSCALERS_V1,
        CRON_JOBS,
        JOBS,
        CERTIFICATE_SIGNING_REQUESTS,
        INGRESS_CLASSES,
        INGRESSES,
        IP_ADDRESSES,
        NETWORK_POLICIES,
        SERVICE_CIDRS,
        POD_DISRUPTION_BUDGETS,
        CLUSTER_ROLE_BINDINGS,
        CLUSTER_ROLES,
        ROLE_BINDINGS,
        ROLES,
        CSI_DRIVERS,
        CSI_NODES,
        CSI_STORAGE_CAPACITIES,
        STORAGE_CLASSES,
        VOLUME_ATTACHMENTS,
        VOLUME_ATTRIBUTES_CLASSES,
        MUTATING_ADMISSION_POLICIES,
        MUTATING_ADMISSION_POLICY_BINDINGS,
        MUTATING_WEBHOOK_CONFIGURATIONS,
        VALIDATING_ADMISSION_POLICIES,
        VALIDATING_ADMISSION_POLICY_BINDINGS,
        VALIDATING_WEBHOOK_CONFIGURATIONS,
        CUSTOM_RESOURCE_DEFINITIONS,
        PRIORITY_CLASSES,
        LEASES,
        RUNTIME_CLASSES,
        ENDPOINT_SLICES,
        DEVICE_CLASSES,
        RESOURCE_CLAIMS,
        RESOURCE_CLAIM_TEMPLATES,
        RESOURCE_SLICES,
        FLOW_SCHEMAS,
        PRIORITY_LEVEL_CONFIGURATIONS,
    ]
