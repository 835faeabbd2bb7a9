"""ClusterRoles of users and components (``bootstrappolicy/policy.go``), with the default feature gates."""

from collections.abc import Mapping, Sequence
from typing import Final

from memkube.apimachinery.model import Document
from memkube.auth.authorization.bootstrap_policy.rules import EVENTS, READ, READ_WRITE, WRITE, rule, urls

AGGREGATED: Final[Mapping[str, str]] = {
    "admin": "rbac.authorization.k8s.io/aggregate-to-admin",
    "edit": "rbac.authorization.k8s.io/aggregate-to-edit",
    "view": "rbac.authorization.k8s.io/aggregate-to-view",
}
"""For each aggregated ClusterRole with this name, the label of the ClusterRoles from which it gets its rules."""
LABELS: Final[Mapping[str, str]] = {
    "edit": "rbac.authorization.k8s.io/aggregate-to-admin",
    "view": "rbac.authorization.k8s.io/aggregate-to-edit",
    "system:aggregate-to-admin": "rbac.authorization.k8s.io/aggregate-to-admin",
    "system:aggregate-to-edit": "rbac.authorization.k8s.io/aggregate-to-edit",
    "system:aggregate-to-view": "rbac.authorization.k8s.io/aggregate-to-view",
}
"""For each ClusterRole with this name, the label by which an aggregated ClusterRole selects it."""
CLUSTER_ROLES: Final[Mapping[str, Sequence[Document]]] = {
    "cluster-admin": (
        rule("*", "*", "*"),
        urls("*", "*"),
    ),
    "system:discovery": (
        urls("get", "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/"),
    ),
    "system:monitoring": (
        urls("get", "/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz"),
        rule("get", "core", "nodes/metrics"),
    ),
    "system:basic-user": (
        rule("create", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
        rule("create", "authentication.k8s.io", "selfsubjectreviews"),
    ),
    "system:public-info-viewer": (urls("get", "/healthz /livez /readyz /version /version/"),),
    "admin": (),
    "edit": (),
    "view": (),
    "system:aggregate-to-admin": (
        rule("create", "authorization.k8s.io", "localsubjectaccessreviews"),
        rule(READ_WRITE, "rbac.authorization.k8s.io", "rolebindings roles"),
    ),
    "system:aggregate-to-edit": (
        rule(READ, "core", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
        rule("impersonate", "core", "serviceaccounts"),
        rule(WRITE, "core", "pods pods/attach pods/exec pods/portforward pods/proxy"),
        rule("create", "core", "pods/eviction"),
        rule(
            WRITE,
            "core",
            "configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale "
            "secrets serviceaccounts services services/proxy",
        ),
        rule("create", "core", "serviceaccounts/token"),
        rule(WRITE, "core events.k8s.io", "events"),
        rule(
            WRITE,
            "apps",
            "daemonsets deployments deployments/rollback deployments/scale replicasets "
            "replicasets/scale statefulsets statefulsets/scale",
        ),
        rule(WRITE, "autoscaling", "horizontalpodautoscalers"),
        rule(WRITE, "batch", "cronjobs jobs"),
        rule(
            WRITE,
            "extensions",
            "daemonsets deployments deployments/rollback deployments/scale ingresses "
            "networkpolicies replicasets replicasets/scale replicationcontrollers/scale",
        ),
        rule(WRITE, "policy", "poddisruptionbudgets"),
        rule(WRITE, "networking.k8s.io", "ingresses networkpolicies"),
        rule(READ_WRITE, "coordination.k8s.io", "leases"),
        rule(WRITE, "resource.k8s.io", "resourceclaims resourceclaimtemplates"),
    ),
    "system:aggregate-to-view": (
        rule(
            READ,
            "core",
            "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods "
            "replicationcontrollers replicationcontrollers/scale serviceaccounts services "
            "services/status",
        ),
        rule(
            READ,
            "core",
            "bindings limitranges namespaces/status pods/log pods/status "
            "replicationcontrollers/status resourcequotas resourcequotas/status",
        ),
        rule(READ, "core", "namespaces"),
        rule(READ, "core events.k8s.io", "events"),
        rule(READ, "discovery.k8s.io", "endpointslices"),
        rule(
            READ,
            "apps",
            "controllerrevisions daemonsets daemonsets/status deployments deployments/scale "
            "deployments/status replicasets replicasets/scale replicasets/status statefulsets "
            "statefulsets/scale statefulsets/status",
        ),
        rule(READ, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
        rule(READ, "batch", "cronjobs cronjobs/status jobs jobs/status"),
        rule(
            READ,
            "extensions",
            "daemonsets daemonsets/status deployments deployments/scale deployments/status "
            "ingresses ingresses/status networkpolicies replicasets replicasets/scale "
            "replicasets/status replicationcontrollers/scale",
        ),
        rule(READ, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
        rule(READ, "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
        rule(READ, "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates"),
    ),
    "system:heapster": (
        rule(READ, "core", "events namespaces nodes pods"),
        rule(READ, "extensions", "deployments"),
    ),
    "system:node": (
        rule("create", "authentication.k8s.io", "tokenreviews"),
        rule("create", "authorization.k8s.io", "localsubjectaccessreviews subjectaccessreviews"),
        rule(READ, "core", "services"),
        rule("create get list watch", "core", "nodes"),
        rule("patch update", "core", "nodes/status"),
        rule("patch update", "core", "nodes"),
        EVENTS,
        rule(READ, "core", "pods"),
        rule("create delete", "core", "pods"),
        rule("patch update", "core", "pods/status"),
        rule("create", "core", "pods/eviction"),
        rule(READ, "core", "configmaps secrets"),
        rule("get", "core", "persistentvolumeclaims persistentvolumes"),
        rule("get", "core", "endpoints"),
        rule("create get list watch", "certificates.k8s.io", "certificatesigningrequests"),
        rule("create delete get patch update", "coordination.k8s.io", "leases"),
        rule("get", "storage.k8s.io", "volumeattachments"),
        rule("create", "core", "serviceaccounts/token"),
        rule("get patch update", "core", "persistentvolumeclaims/status"),
        rule(READ, "storage.k8s.io", "csidrivers"),
        rule("create delete get patch update", "storage.k8s.io", "csinodes"),
        rule(READ, "node.k8s.io", "runtimeclasses"),
        rule("get", "resource.k8s.io", "resourceclaims"),
        rule("deletecollection", "resource.k8s.io", "resourceslices"),
        rule("get", "core", "serviceaccounts"),
    ),
    "system:node-problem-detector": (
        rule("get", "core", "nodes"),
        rule("patch", "core", "nodes/status"),
        EVENTS,
    ),
    "system:node-bootstrapper": (rule("create get list watch", "certificates.k8s.io", "certificatesigningrequests"),),
    "system:auth-delegator": (
        rule("create", "authentication.k8s.io", "tokenreviews"),
        rule("create", "authorization.k8s.io", "subjectaccessreviews"),
    ),
    "system:kube-aggregator": (rule(READ, "core", "endpoints services"),),
    "system:kube-controller-manager": (
        EVENTS,
        rule("create", "coordination.k8s.io", "leases"),
        rule("get update", "coordination.k8s.io", "leases", names="kube-controller-manager"),
        rule("create", "core", "secrets serviceaccounts"),
        rule("delete", "core", "secrets"),
        rule("get", "core", "configmaps namespaces secrets serviceaccounts"),
        rule("update", "core", "secrets serviceaccounts"),
        rule("create", "authentication.k8s.io", "tokenreviews"),
        rule("create", "authorization.k8s.io", "subjectaccessreviews"),
        rule("list watch", "*", "*"),
        rule("create", "core", "serviceaccounts/token"),
    ),
    "system:kube-dns": (rule("list watch", "core", "endpoints services"),),
    "system:persistent-volume-provisioner": (
        rule("create delete get list watch", "core", "persistentvolumes"),
        rule("get list update watch", "core", "persistentvolumeclaims"),
        rule(READ, "storage.k8s.io", "storageclasses"),
        rule("watch", "core", "events"),
        EVENTS,
    ),
    "system:certificates.k8s.io:certificatesigningrequests:nodeclient": (
        rule("create", "certificates.k8s.io", "certificatesigningrequests/nodeclient"),
    ),
    "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient": (
        rule("create", "certificates.k8s.io", "certificatesigningrequests/selfnodeclient"),
    ),
    "system:volume-scheduler": (
        rule("get list patch update watch", "core", "persistentvolumes"),
        rule(READ, "storage.k8s.io", "storageclasses"),
        rule("get list patch update watch", "core", "persistentvolumeclaims"),
    ),
    "system:certificates.k8s.io:legacy-unknown-approver": (
        rule("approve", "certificates.k8s.io", "signers", names="kubernetes.io/legacy-unknown"),
    ),
    "system:certificates.k8s.io:kubelet-serving-approver": (
        rule("approve", "certificates.k8s.io", "signers", names="kubernetes.io/kubelet-serving"),
    ),
    "system:certificates.k8s.io:kube-apiserver-client-approver": (
        rule("approve", "certificates.k8s.io", "signers", names="kubernetes.io/kube-apiserver-client"),
    ),
    "system:certificates.k8s.io:kube-apiserver-client-kubelet-approver": (
        rule("approve", "certificates.k8s.io", "signers", names="kubernetes.io/kube-apiserver-client-kubelet"),
    ),
    "system:service-account-issuer-discovery": (
        urls(
            "get",
            "/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/",
        ),
    ),
    "system:kubelet-api-admin": (
        rule(READ, "core", "nodes"),
        rule("proxy", "core", "nodes"),
        rule("*", "core", "nodes/log nodes/metrics nodes/proxy nodes/stats"),
        rule("*", "core", "nodes/configz nodes/healthz nodes/pods"),
    ),
    "system:node-proxier": (
        rule("list watch", "core", "endpoints services"),
        rule(READ, "core", "nodes"),
        EVENTS,
        rule("list watch", "networking.k8s.io", "servicecidrs"),
        rule("list watch", "discovery.k8s.io", "endpointslices"),
    ),
    "system:kube-scheduler": (
        EVENTS,
        rule("create", "coordination.k8s.io", "leases"),
        rule("get list update watch", "coordination.k8s.io", "leases", names="kube-scheduler"),
        rule(READ_WRITE, "coordination.k8s.io", "leasecandidates"),
        rule(READ, "core", "nodes"),
        rule("delete get list watch", "core", "pods"),
        rule("create", "core", "bindings pods/binding"),
        rule("patch update", "core", "pods/status"),
        rule(READ, "core", "replicationcontrollers services"),
        rule(READ, "apps extensions", "replicasets"),
        rule(READ, "apps", "statefulsets"),
        rule(READ, "policy", "poddisruptionbudgets"),
        rule(READ, "core", "persistentvolumeclaims persistentvolumes"),
        rule("create", "authentication.k8s.io", "tokenreviews"),
        rule("create", "authorization.k8s.io", "subjectaccessreviews"),
        rule(READ, "storage.k8s.io", "csinodes"),
        rule(READ, "storage.k8s.io", "volumeattachments"),
        rule(READ, "core", "namespaces"),
        rule(READ, "storage.k8s.io", "csidrivers"),
        rule(READ, "storage.k8s.io", "csistoragecapacities"),
        rule(READ, "resource.k8s.io", "deviceclasses"),
        rule("get list patch update watch", "resource.k8s.io", "resourceclaims"),
        rule("get list patch update watch", "resource.k8s.io", "resourceclaims/status"),
        rule("update", "core", "pods/finalizers"),
        rule(READ, "resource.k8s.io", "resourceslices"),
        rule("create delete", "resource.k8s.io", "resourceclaims"),
        rule("patch update", "resource.k8s.io", "resourceclaims/binding"),
    ),
}
"""Rules of each ClusterRole by its name, in the order in which the roles are created; none for aggregated roles."""
