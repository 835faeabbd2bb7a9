"""Names of the reference's kinds, served here or not: it words refusals by whether a kind exists at all."""

KNOWN_KINDS: dict[str, frozenset[str]] = {
    "admissionregistration.k8s.io/v1": frozenset(
        (
            "DeleteOptions MutatingAdmissionPolicy MutatingAdmissionPolicyBinding "
            "MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList MutatingWebhookConfiguration "
            "MutatingWebhookConfigurationList ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
            "ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyList "
            "ValidatingWebhookConfiguration ValidatingWebhookConfigurationList WatchEvent"
        ).split()
    ),
    "apiextensions.k8s.io/v1": frozenset(
        (
            "CustomResourceDefinition CustomResourceDefinitionList DeleteOptions WatchEvent"
        ).split()
    ),
    "apiregistration.k8s.io/v1": frozenset(
        (
            "APIService APIServiceList DeleteOptions WatchEvent"
        ).split()
    ),
    "apps/v1": frozenset(
        (
            "ControllerRevision ControllerRevisionList DaemonSet DaemonSetList DeleteOptions Deployment "
            "DeploymentList ReplicaSet ReplicaSetList StatefulSet StatefulSetList WatchEvent"
        ).split()
    ),
    "authentication.k8s.io/v1": frozenset(
        (
            "DeleteOptions SelfSubjectReview TokenRequest TokenReview"
        ).split()
    ),
    "authorization.k8s.io/v1": frozenset(
        (
            "DeleteOptions LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview "
            "SubjectAccessReview"
        ).split()
    ),
    "autoscaling/v1": frozenset(
        (
            "DeleteOptions HorizontalPodAutoscaler HorizontalPodAutoscalerList Scale WatchEvent"
        ).split()
    ),
    "autoscaling/v2": frozenset(
        (
            "DeleteOptions HorizontalPodAutoscaler HorizontalPodAutoscalerList WatchEvent"
        ).split()
    ),
    "batch/v1": frozenset(
        (
            "CronJob CronJobList DeleteOptions Job JobList WatchEvent"
        ).split()
    ),
    "certificates.k8s.io/v1": frozenset(
        (
            "CertificateSigningRequest CertificateSigningRequestList DeleteOptions WatchEvent"
        ).split()
    ),
    "coordination.k8s.io/v1": frozenset(
        (
            "DeleteOptions Lease LeaseList WatchEvent"
        ).split()
    ),
    "discovery.k8s.io/v1": frozenset(
        (
            "DeleteOptions EndpointSlice EndpointSliceList WatchEvent"
        ).split()
    ),
    "events.k8s.io/v1": frozenset(
        (
            "DeleteOptions Event EventList WatchEvent"
        ).split()
    ),
    "flowcontrol.apiserver.k8s.io/v1": frozenset(
        (
            "DeleteOptions FlowSchema FlowSchemaList PriorityLevelConfiguration "
            "PriorityLevelConfigurationList WatchEvent"
        ).split()
    ),
    "networking.k8s.io/v1": frozenset(
        (
            "DeleteOptions IPAddress IPAddressList Ingress IngressClass IngressClassList IngressList "
            "NetworkPolicy NetworkPolicyList ServiceCIDR ServiceCIDRList WatchEvent"
        ).split()
    ),
    "node.k8s.io/v1": frozenset(
        (
            "DeleteOptions RuntimeClass RuntimeClassList WatchEvent"
        ).split()
    ),
    "policy/v1": frozenset(
        (
            "DeleteOptions Eviction PodDisruptionBudget PodDisruptionBudgetList WatchEvent"
        ).split()
    ),
    "rbac.authorization.k8s.io/v1": frozenset(
        (
            "ClusterRole ClusterRoleBinding ClusterRoleBindingList ClusterRoleList DeleteOptions Role "
            "RoleBinding RoleBindingList RoleList WatchEvent"
        ).split()
    ),
    "resource.k8s.io/v1": frozenset(
        (
            "DeleteOptions DeviceClass DeviceClassList ResourceClaim ResourceClaimList "
            "ResourceClaimTemplate ResourceClaimTemplateList ResourceSlice ResourceSliceList WatchEvent"
        ).split()
    ),
    "scheduling.k8s.io/v1": frozenset(
        (
            "DeleteOptions PriorityClass PriorityClassList WatchEvent"
        ).split()
    ),
    "storage.k8s.io/v1": frozenset(
        (
            "CSIDriver CSIDriverList CSINode CSINodeList CSIStorageCapacity CSIStorageCapacityList "
            "DeleteOptions StorageClass StorageClassList VolumeAttachment VolumeAttachmentList "
            "VolumeAttributesClass VolumeAttributesClassList WatchEvent"
        ).split()
    ),
    "v1": frozenset(
        (
            "APIGroup APIGroupList APIResourceList APIVersions Binding ComponentStatus "
            "ComponentStatusList ConfigMap ConfigMapList DeleteOptions Endpoints EndpointsList Event "
            "EventList LimitRange LimitRangeList Namespace NamespaceList Node NodeList PersistentVolume "
            "PersistentVolumeClaim PersistentVolumeClaimList PersistentVolumeList Pod PodList PodTemplate "
            "PodTemplateList ReplicationController ReplicationControllerList ResourceQuota "
            "ResourceQuotaList Secret SecretList Service ServiceAccount ServiceAccountList ServiceList "
            "Status WatchEvent"
        ).split()
    ),
}
