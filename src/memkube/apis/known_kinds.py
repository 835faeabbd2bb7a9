"""Names of the reference's kinds, served here or not: it words refusals by whether a kind exists at all."""

KNOWN_KINDS: dict[str, frozenset[str]] = {
    "admission.k8s.io/v1": frozenset(
        """
        AdmissionReview DeleteOptions WatchEvent
        """.split()
    ),
    "admission.k8s.io/v1beta1": frozenset(
        """
        AdmissionReview DeleteOptions WatchEvent
        """.split()
    ),
    "admissionregistration.k8s.io/v1": frozenset(
        """
        DeleteOptions MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
        MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList MutatingWebhookConfiguration
        MutatingWebhookConfigurationList ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
        ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyList
        ValidatingWebhookConfiguration ValidatingWebhookConfigurationList WatchEvent
        """.split()
    ),
    "admissionregistration.k8s.io/v1alpha1": frozenset(
        """
        DeleteOptions MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
        MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList ValidatingAdmissionPolicy
        ValidatingAdmissionPolicyBinding ValidatingAdmissionPolicyBindingList
        ValidatingAdmissionPolicyList WatchEvent
        """.split()
    ),
    "admissionregistration.k8s.io/v1beta1": frozenset(
        """
        DeleteOptions MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
        MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList MutatingWebhookConfiguration
        MutatingWebhookConfigurationList ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
        ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyList
        ValidatingWebhookConfiguration ValidatingWebhookConfigurationList WatchEvent
        """.split()
    ),
    "apidiscovery.k8s.io/v2": frozenset(
        """
        APIGroupDiscovery APIGroupDiscoveryList DeleteOptions WatchEvent
        """.split()
    ),
    "apidiscovery.k8s.io/v2beta1": frozenset(
        """
        APIGroupDiscovery APIGroupDiscoveryList DeleteOptions WatchEvent
        """.split()
    ),
    "apiextensions.k8s.io/v1": frozenset(
        """
        CustomResourceDefinition CustomResourceDefinitionList DeleteOptions WatchEvent
        """.split()
    ),
    "apiregistration.k8s.io/v1": frozenset(
        """
        APIService APIServiceList DeleteOptions WatchEvent
        """.split()
    ),
    "apps/v1": frozenset(
        """
        ControllerRevision ControllerRevisionList DaemonSet DaemonSetList DeleteOptions Deployment
        DeploymentList ReplicaSet ReplicaSetList StatefulSet StatefulSetList WatchEvent
        """.split()
    ),
    "apps/v1beta1": frozenset(
        """
        ControllerRevision ControllerRevisionList DeleteOptions Deployment DeploymentList
        DeploymentRollback Scale StatefulSet StatefulSetList WatchEvent
        """.split()
    ),
    "apps/v1beta2": frozenset(
        """
        ControllerRevision ControllerRevisionList DaemonSet DaemonSetList DeleteOptions Deployment
        DeploymentList ReplicaSet ReplicaSetList Scale StatefulSet StatefulSetList WatchEvent
        """.split()
    ),
    "authentication.k8s.io/v1": frozenset(
        """
        DeleteOptions SelfSubjectReview TokenRequest TokenReview WatchEvent
        """.split()
    ),
    "authentication.k8s.io/v1alpha1": frozenset(
        """
        DeleteOptions SelfSubjectReview WatchEvent
        """.split()
    ),
    "authentication.k8s.io/v1beta1": frozenset(
        """
        DeleteOptions SelfSubjectReview TokenReview WatchEvent
        """.split()
    ),
    "authorization.k8s.io/v1": frozenset(
        """
        DeleteOptions LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview
        SubjectAccessReview WatchEvent
        """.split()
    ),
    "authorization.k8s.io/v1beta1": frozenset(
        """
        DeleteOptions LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview
        SubjectAccessReview WatchEvent
        """.split()
    ),
    "autoscaling/v1": frozenset(
        """
        DeleteOptions HorizontalPodAutoscaler HorizontalPodAutoscalerList Scale WatchEvent
        """.split()
    ),
    "autoscaling/v2": frozenset(
        """
        DeleteOptions HorizontalPodAutoscaler HorizontalPodAutoscalerList WatchEvent
        """.split()
    ),
    "batch/v1": frozenset(
        """
        CronJob CronJobList DeleteOptions Job JobList WatchEvent
        """.split()
    ),
    "batch/v1beta1": frozenset(
        """
        CronJob CronJobList DeleteOptions WatchEvent
        """.split()
    ),
    "certificates.k8s.io/v1": frozenset(
        """
        CertificateSigningRequest CertificateSigningRequestList DeleteOptions WatchEvent
        """.split()
    ),
    "certificates.k8s.io/v1alpha1": frozenset(
        """
        ClusterTrustBundle ClusterTrustBundleList DeleteOptions WatchEvent
        """.split()
    ),
    "certificates.k8s.io/v1beta1": frozenset(
        """
        CertificateSigningRequest CertificateSigningRequestList ClusterTrustBundle
        ClusterTrustBundleList DeleteOptions PodCertificateRequest PodCertificateRequestList WatchEvent
        """.split()
    ),
    "coordination.k8s.io/v1": frozenset(
        """
        DeleteOptions Lease LeaseList WatchEvent
        """.split()
    ),
    "coordination.k8s.io/v1alpha2": frozenset(
        """
        DeleteOptions LeaseCandidate LeaseCandidateList WatchEvent
        """.split()
    ),
    "coordination.k8s.io/v1beta1": frozenset(
        """
        DeleteOptions Lease LeaseCandidate LeaseCandidateList LeaseList WatchEvent
        """.split()
    ),
    "discovery.k8s.io/v1": frozenset(
        """
        DeleteOptions EndpointSlice EndpointSliceList WatchEvent
        """.split()
    ),
    "discovery.k8s.io/v1beta1": frozenset(
        """
        DeleteOptions EndpointSlice EndpointSliceList WatchEvent
        """.split()
    ),
    "events.k8s.io/v1": frozenset(
        """
        DeleteOptions Event EventList WatchEvent
        """.split()
    ),
    "events.k8s.io/v1beta1": frozenset(
        """
        DeleteOptions Event EventList WatchEvent
        """.split()
    ),
    "extensions/v1beta1": frozenset(
        """
        DaemonSet DaemonSetList DeleteOptions Deployment DeploymentList DeploymentRollback Ingress
        IngressList NetworkPolicy NetworkPolicyList ReplicaSet ReplicaSetList Scale WatchEvent
        """.split()
    ),
    "flowcontrol.apiserver.k8s.io/v1": frozenset(
        """
        DeleteOptions FlowSchema FlowSchemaList PriorityLevelConfiguration
        PriorityLevelConfigurationList WatchEvent
        """.split()
    ),
    "flowcontrol.apiserver.k8s.io/v1beta1": frozenset(
        """
        DeleteOptions FlowSchema FlowSchemaList PriorityLevelConfiguration
        PriorityLevelConfigurationList WatchEvent
        """.split()
    ),
    "flowcontrol.apiserver.k8s.io/v1beta2": frozenset(
        """
        DeleteOptions FlowSchema FlowSchemaList PriorityLevelConfiguration
        PriorityLevelConfigurationList WatchEvent
        """.split()
    ),
    "flowcontrol.apiserver.k8s.io/v1beta3": frozenset(
        """
        DeleteOptions FlowSchema FlowSchemaList PriorityLevelConfiguration
        PriorityLevelConfigurationList WatchEvent
        """.split()
    ),
    "imagepolicy.k8s.io/v1alpha1": frozenset(
        """
        DeleteOptions ImageReview WatchEvent
        """.split()
    ),
    "internal.apiserver.k8s.io/v1alpha1": frozenset(
        """
        DeleteOptions StorageVersion StorageVersionList WatchEvent
        """.split()
    ),
    "networking.k8s.io/v1": frozenset(
        """
        DeleteOptions IPAddress IPAddressList Ingress IngressClass IngressClassList IngressList
        NetworkPolicy NetworkPolicyList ServiceCIDR ServiceCIDRList WatchEvent
        """.split()
    ),
    "networking.k8s.io/v1beta1": frozenset(
        """
        DeleteOptions IPAddress IPAddressList Ingress IngressClass IngressClassList IngressList
        ServiceCIDR ServiceCIDRList WatchEvent
        """.split()
    ),
    "node.k8s.io/v1": frozenset(
        """
        DeleteOptions RuntimeClass RuntimeClassList WatchEvent
        """.split()
    ),
    "node.k8s.io/v1alpha1": frozenset(
        """
        DeleteOptions RuntimeClass RuntimeClassList WatchEvent
        """.split()
    ),
    "node.k8s.io/v1beta1": frozenset(
        """
        DeleteOptions RuntimeClass RuntimeClassList WatchEvent
        """.split()
    ),
    "policy/v1": frozenset(
        """
        DeleteOptions Eviction PodDisruptionBudget PodDisruptionBudgetList WatchEvent
        """.split()
    ),
    "policy/v1beta1": frozenset(
        """
        DeleteOptions Eviction PodDisruptionBudget PodDisruptionBudgetList WatchEvent
        """.split()
    ),
    "rbac.authorization.k8s.io/v1": frozenset(
        """
        ClusterRole ClusterRoleBinding ClusterRoleBindingList ClusterRoleList DeleteOptions Role
        RoleBinding RoleBindingList RoleList WatchEvent
        """.split()
    ),
    "rbac.authorization.k8s.io/v1alpha1": frozenset(
        """
        ClusterRole ClusterRoleBinding ClusterRoleBindingList ClusterRoleList DeleteOptions Role
        RoleBinding RoleBindingList RoleList WatchEvent
        """.split()
    ),
    "rbac.authorization.k8s.io/v1beta1": frozenset(
        """
        ClusterRole ClusterRoleBinding ClusterRoleBindingList ClusterRoleList DeleteOptions Role
        RoleBinding RoleBindingList RoleList WatchEvent
        """.split()
    ),
    "resource.k8s.io/v1": frozenset(
        """
        DeleteOptions DeviceClass DeviceClassList ResourceClaim ResourceClaimList ResourceClaimTemplate
        ResourceClaimTemplateList ResourceSlice ResourceSliceList WatchEvent
        """.split()
    ),
    "resource.k8s.io/v1alpha3": frozenset(
        """
        DeleteOptions DeviceTaintRule DeviceTaintRuleList ResourcePoolStatusRequest
        ResourcePoolStatusRequestList WatchEvent
        """.split()
    ),
    "resource.k8s.io/v1beta1": frozenset(
        """
        DeleteOptions DeviceClass DeviceClassList ResourceClaim ResourceClaimList ResourceClaimTemplate
        ResourceClaimTemplateList ResourceSlice ResourceSliceList WatchEvent
        """.split()
    ),
    "resource.k8s.io/v1beta2": frozenset(
        """
        DeleteOptions DeviceClass DeviceClassList DeviceTaintRule DeviceTaintRuleList ResourceClaim
        ResourceClaimList ResourceClaimTemplate ResourceClaimTemplateList ResourceSlice
        ResourceSliceList WatchEvent
        """.split()
    ),
    "scheduling.k8s.io/v1": frozenset(
        """
        DeleteOptions PriorityClass PriorityClassList WatchEvent
        """.split()
    ),
    "scheduling.k8s.io/v1alpha2": frozenset(
        """
        DeleteOptions PodGroup PodGroupList WatchEvent Workload WorkloadList
        """.split()
    ),
    "scheduling.k8s.io/v1beta1": frozenset(
        """
        DeleteOptions PriorityClass PriorityClassList WatchEvent
        """.split()
    ),
    "storage.k8s.io/v1": frozenset(
        """
        CSIDriver CSIDriverList CSINode CSINodeList CSIStorageCapacity CSIStorageCapacityList
        DeleteOptions StorageClass StorageClassList VolumeAttachment VolumeAttachmentList
        VolumeAttributesClass VolumeAttributesClassList WatchEvent
        """.split()
    ),
    "storage.k8s.io/v1alpha1": frozenset(
        """
        CSIStorageCapacity CSIStorageCapacityList DeleteOptions VolumeAttachment VolumeAttachmentList
        VolumeAttributesClass VolumeAttributesClassList WatchEvent
        """.split()
    ),
    "storage.k8s.io/v1beta1": frozenset(
        """
        CSIDriver CSIDriverList CSINode CSINodeList CSIStorageCapacity CSIStorageCapacityList
        DeleteOptions StorageClass StorageClassList VolumeAttachment VolumeAttachmentList
        VolumeAttributesClass VolumeAttributesClassList WatchEvent
        """.split()
    ),
    "storagemigration.k8s.io/v1beta1": frozenset(
        """
        DeleteOptions StorageVersionMigration StorageVersionMigrationList WatchEvent
        """.split()
    ),
    "v1": frozenset(
        """
        APIGroup APIGroupList APIResourceList APIVersions Binding ComponentStatus ComponentStatusList
        ConfigMap ConfigMapList DeleteOptions Endpoints EndpointsList Event EventList LimitRange
        LimitRangeList List Namespace NamespaceList Node NodeList NodeProxyOptions PersistentVolume
        PersistentVolumeClaim PersistentVolumeClaimList PersistentVolumeList Pod PodAttachOptions
        PodExecOptions PodList PodLogOptions PodPortForwardOptions PodProxyOptions PodStatusResult
        PodTemplate PodTemplateList RangeAllocation ReplicationController ReplicationControllerList
        ResourceQuota ResourceQuotaList Secret SecretList SerializedReference Service ServiceAccount
        ServiceAccountList ServiceList ServiceProxyOptions Status WatchEvent
        """.split()
    ),
}
