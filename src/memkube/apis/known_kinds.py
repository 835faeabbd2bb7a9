"""Names of the reference's kinds, served here or not: it words refusals by whether a kind exists at all."""

from typing import Final

from memkube.registry.kinds import KnownKinds

_KINDS: Final = """
admission.k8s.io/v1: AdmissionReview DeleteOptions WatchEvent
admission.k8s.io/v1beta1: AdmissionReview DeleteOptions WatchEvent
admissionregistration.k8s.io/v1: DeleteOptions MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
  MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList MutatingWebhookConfiguration
  MutatingWebhookConfigurationList ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
  ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyList ValidatingWebhookConfiguration
  ValidatingWebhookConfigurationList WatchEvent
admissionregistration.k8s.io/v1alpha1: DeleteOptions MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
  MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList ValidatingAdmissionPolicy
  ValidatingAdmissionPolicyBinding ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyList
  WatchEvent
admissionregistration.k8s.io/v1beta1: DeleteOptions MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
  MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList MutatingWebhookConfiguration
  MutatingWebhookConfigurationList ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
  ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyList ValidatingWebhookConfiguration
  ValidatingWebhookConfigurationList WatchEvent
apidiscovery.k8s.io/v2: APIGroupDiscovery APIGroupDiscoveryList DeleteOptions WatchEvent
apidiscovery.k8s.io/v2beta1: APIGroupDiscovery APIGroupDiscoveryList DeleteOptions WatchEvent
apiextensions.k8s.io/v1: CustomResourceDefinition CustomResourceDefinitionList DeleteOptions WatchEvent
apiextensions.k8s.io/v1beta1: CustomResourceDefinition CustomResourceDefinitionList DeleteOptions WatchEvent
apiregistration.k8s.io/v1: APIService APIServiceList DeleteOptions WatchEvent
apps/v1: ControllerRevision ControllerRevisionList DaemonSet DaemonSetList DeleteOptions Deployment
  DeploymentList ReplicaSet ReplicaSetList StatefulSet StatefulSetList WatchEvent
apps/v1beta1: ControllerRevision ControllerRevisionList DeleteOptions Deployment DeploymentList
  DeploymentRollback Scale StatefulSet StatefulSetList WatchEvent
apps/v1beta2: ControllerRevision ControllerRevisionList DaemonSet DaemonSetList DeleteOptions Deployment
  DeploymentList ReplicaSet ReplicaSetList Scale StatefulSet StatefulSetList WatchEvent
authentication.k8s.io/v1: DeleteOptions SelfSubjectReview TokenRequest TokenReview WatchEvent
authentication.k8s.io/v1alpha1: DeleteOptions SelfSubjectReview WatchEvent
authentication.k8s.io/v1beta1: DeleteOptions SelfSubjectReview TokenReview WatchEvent
authorization.k8s.io/v1: DeleteOptions LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview
  SubjectAccessReview WatchEvent
authorization.k8s.io/v1beta1: DeleteOptions LocalSubjectAccessReview SelfSubjectAccessReview
  SelfSubjectRulesReview SubjectAccessReview WatchEvent
autoscaling/v1: DeleteOptions HorizontalPodAutoscaler HorizontalPodAutoscalerList Scale WatchEvent
autoscaling/v2: DeleteOptions HorizontalPodAutoscaler HorizontalPodAutoscalerList WatchEvent
batch/v1: CronJob CronJobList DeleteOptions Job JobList WatchEvent
batch/v1beta1: CronJob CronJobList DeleteOptions WatchEvent
certificates.k8s.io/v1: CertificateSigningRequest CertificateSigningRequestList DeleteOptions WatchEvent
certificates.k8s.io/v1alpha1: ClusterTrustBundle ClusterTrustBundleList DeleteOptions WatchEvent
certificates.k8s.io/v1beta1: CertificateSigningRequest CertificateSigningRequestList ClusterTrustBundle
  ClusterTrustBundleList DeleteOptions PodCertificateRequest PodCertificateRequestList WatchEvent
coordination.k8s.io/v1: DeleteOptions Lease LeaseList WatchEvent
coordination.k8s.io/v1alpha2: DeleteOptions LeaseCandidate LeaseCandidateList WatchEvent
coordination.k8s.io/v1beta1: DeleteOptions Lease LeaseCandidate LeaseCandidateList LeaseList WatchEvent
discovery.k8s.io/v1: DeleteOptions EndpointSlice EndpointSliceList WatchEvent
discovery.k8s.io/v1beta1: DeleteOptions EndpointSlice EndpointSliceList WatchEvent
events.k8s.io/v1: DeleteOptions Event EventList WatchEvent
events.k8s.io/v1beta1: DeleteOptions Event EventList WatchEvent
extensions/v1beta1: DaemonSet DaemonSetList DeleteOptions Deployment DeploymentList DeploymentRollback Ingress
  IngressList NetworkPolicy NetworkPolicyList ReplicaSet ReplicaSetList Scale WatchEvent
flowcontrol.apiserver.k8s.io/v1: DeleteOptions FlowSchema FlowSchemaList PriorityLevelConfiguration
  PriorityLevelConfigurationList WatchEvent
flowcontrol.apiserver.k8s.io/v1beta1: DeleteOptions FlowSchema FlowSchemaList PriorityLevelConfiguration
  PriorityLevelConfigurationList WatchEvent
flowcontrol.apiserver.k8s.io/v1beta2: DeleteOptions FlowSchema FlowSchemaList PriorityLevelConfiguration
  PriorityLevelConfigurationList WatchEvent
flowcontrol.apiserver.k8s.io/v1beta3: DeleteOptions FlowSchema FlowSchemaList PriorityLevelConfiguration
  PriorityLevelConfigurationList WatchEvent
imagepolicy.k8s.io/v1alpha1: DeleteOptions ImageReview WatchEvent
internal.apiserver.k8s.io/v1alpha1: DeleteOptions StorageVersion StorageVersionList WatchEvent
networking.k8s.io/v1: DeleteOptions IPAddress IPAddressList Ingress IngressClass IngressClassList IngressList
  NetworkPolicy NetworkPolicyList ServiceCIDR ServiceCIDRList WatchEvent
networking.k8s.io/v1beta1: DeleteOptions IPAddress IPAddressList Ingress IngressClass IngressClassList
  IngressList ServiceCIDR ServiceCIDRList WatchEvent
node.k8s.io/v1: DeleteOptions RuntimeClass RuntimeClassList WatchEvent
node.k8s.io/v1alpha1: DeleteOptions RuntimeClass RuntimeClassList WatchEvent
node.k8s.io/v1beta1: DeleteOptions RuntimeClass RuntimeClassList WatchEvent
policy/v1: DeleteOptions Eviction PodDisruptionBudget PodDisruptionBudgetList WatchEvent
policy/v1beta1: DeleteOptions Eviction PodDisruptionBudget PodDisruptionBudgetList WatchEvent
rbac.authorization.k8s.io/v1: ClusterRole ClusterRoleBinding ClusterRoleBindingList ClusterRoleList
  DeleteOptions Role RoleBinding RoleBindingList RoleList WatchEvent
rbac.authorization.k8s.io/v1alpha1: ClusterRole ClusterRoleBinding ClusterRoleBindingList ClusterRoleList
  DeleteOptions Role RoleBinding RoleBindingList RoleList WatchEvent
rbac.authorization.k8s.io/v1beta1: ClusterRole ClusterRoleBinding ClusterRoleBindingList ClusterRoleList
  DeleteOptions Role RoleBinding RoleBindingList RoleList WatchEvent
resource.k8s.io/v1: DeleteOptions DeviceClass DeviceClassList ResourceClaim ResourceClaimList
  ResourceClaimTemplate ResourceClaimTemplateList ResourceSlice ResourceSliceList WatchEvent
resource.k8s.io/v1alpha3: DeleteOptions DeviceTaintRule DeviceTaintRuleList ResourcePoolStatusRequest
  ResourcePoolStatusRequestList WatchEvent
resource.k8s.io/v1beta1: DeleteOptions DeviceClass DeviceClassList ResourceClaim ResourceClaimList
  ResourceClaimTemplate ResourceClaimTemplateList ResourceSlice ResourceSliceList WatchEvent
resource.k8s.io/v1beta2: DeleteOptions DeviceClass DeviceClassList DeviceTaintRule DeviceTaintRuleList
  ResourceClaim ResourceClaimList ResourceClaimTemplate ResourceClaimTemplateList ResourceSlice
  ResourceSliceList WatchEvent
scheduling.k8s.io/v1: DeleteOptions PriorityClass PriorityClassList WatchEvent
scheduling.k8s.io/v1alpha2: DeleteOptions PodGroup PodGroupList WatchEvent Workload WorkloadList
scheduling.k8s.io/v1beta1: DeleteOptions PriorityClass PriorityClassList WatchEvent
storage.k8s.io/v1: CSIDriver CSIDriverList CSINode CSINodeList CSIStorageCapacity CSIStorageCapacityList
  DeleteOptions StorageClass StorageClassList VolumeAttachment VolumeAttachmentList VolumeAttributesClass
  VolumeAttributesClassList WatchEvent
storage.k8s.io/v1alpha1: CSIStorageCapacity CSIStorageCapacityList DeleteOptions VolumeAttachment
  VolumeAttachmentList VolumeAttributesClass VolumeAttributesClassList WatchEvent
storage.k8s.io/v1beta1: CSIDriver CSIDriverList CSINode CSINodeList CSIStorageCapacity CSIStorageCapacityList
  DeleteOptions StorageClass StorageClassList VolumeAttachment VolumeAttachmentList VolumeAttributesClass
  VolumeAttributesClassList WatchEvent
storagemigration.k8s.io/v1beta1: DeleteOptions StorageVersionMigration StorageVersionMigrationList WatchEvent
v1: APIGroup APIGroupList APIResourceList APIVersions Binding ComponentStatus ComponentStatusList ConfigMap
  ConfigMapList DeleteOptions Endpoints EndpointsList Event EventList LimitRange LimitRangeList List Namespace
  NamespaceList Node NodeList NodeProxyOptions PersistentVolume PersistentVolumeClaim
  PersistentVolumeClaimList PersistentVolumeList Pod PodAttachOptions PodExecOptions PodList PodLogOptions
  PodPortForwardOptions PodProxyOptions PodStatusResult PodTemplate PodTemplateList RangeAllocation
  ReplicationController ReplicationControllerList ResourceQuota ResourceQuotaList Secret SecretList
  SerializedReference Service ServiceAccount ServiceAccountList ServiceList ServiceProxyOptions Status
  WatchEvent
"""


def _parsed(text: str) -> dict[str, frozenset[str]]:
    """Continued lines are indented; the first word of the others is a group and version."""
    kinds: dict[str, frozenset[str]] = {}
    for line in text.strip().replace("\n  ", " ").splitlines():
        api_version, _, names = line.partition(": ")
        kinds[api_version] = frozenset(names.split())
    return kinds


KNOWN_KINDS: Final = KnownKinds(_parsed(_KINDS), internal_groups={"events.k8s.io": ""})
"""Events of both groups are one kind inside."""
