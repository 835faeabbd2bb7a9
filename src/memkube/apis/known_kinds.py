"""Names of all kinds that kube-apiserver knows, including those that memkube does not serve.

Error messages depend on whether kube-apiserver knows a kind.
"""

from typing import Final

from memkube.registry.declarations.kinds import KnownKinds

_KINDS: Final = """
admission.k8s.io/v1: AdmissionReview
admission.k8s.io/v1beta1: AdmissionReview
admissionregistration.k8s.io/v1: MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
  MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList MutatingWebhookConfiguration
  MutatingWebhookConfigurationList ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
  ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyList ValidatingWebhookConfiguration
  ValidatingWebhookConfigurationList
admissionregistration.k8s.io/v1alpha1: MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
  MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList ValidatingAdmissionPolicy
  ValidatingAdmissionPolicyBinding ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyList
admissionregistration.k8s.io/v1beta1: MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
  MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList MutatingWebhookConfiguration
  MutatingWebhookConfigurationList ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
  ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyList ValidatingWebhookConfiguration
  ValidatingWebhookConfigurationList
apidiscovery.k8s.io/v2: APIGroupDiscovery APIGroupDiscoveryList
apidiscovery.k8s.io/v2beta1: APIGroupDiscovery APIGroupDiscoveryList
apiextensions.k8s.io/v1: ConversionReview CustomResourceDefinition CustomResourceDefinitionList
apiextensions.k8s.io/v1beta1: ConversionReview CustomResourceDefinition CustomResourceDefinitionList
apiregistration.k8s.io/v1: APIService APIServiceList
apiregistration.k8s.io/v1beta1: APIService APIServiceList
apps/v1: ControllerRevision ControllerRevisionList DaemonSet DaemonSetList Deployment DeploymentList ReplicaSet
  ReplicaSetList StatefulSet StatefulSetList
apps/v1beta1: ControllerRevision ControllerRevisionList Deployment DeploymentList DeploymentRollback Scale
  StatefulSet StatefulSetList
apps/v1beta2: ControllerRevision ControllerRevisionList DaemonSet DaemonSetList Deployment DeploymentList
  ReplicaSet ReplicaSetList Scale StatefulSet StatefulSetList
authentication.k8s.io/v1: SelfSubjectReview TokenRequest TokenReview
authentication.k8s.io/v1alpha1: SelfSubjectReview
authentication.k8s.io/v1beta1: SelfSubjectReview TokenReview
authorization.k8s.io/v1: LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview
  SubjectAccessReview
authorization.k8s.io/v1beta1: LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview
  SubjectAccessReview
autoscaling/v1: HorizontalPodAutoscaler HorizontalPodAutoscalerList Scale
autoscaling/v2: HorizontalPodAutoscaler HorizontalPodAutoscalerList
batch/v1: CronJob CronJobList Job JobList
batch/v1beta1: CronJob CronJobList
certificates.k8s.io/v1: CertificateSigningRequest CertificateSigningRequestList
certificates.k8s.io/v1alpha1: ClusterTrustBundle ClusterTrustBundleList
certificates.k8s.io/v1beta1: CertificateSigningRequest CertificateSigningRequestList ClusterTrustBundle
  ClusterTrustBundleList PodCertificateRequest PodCertificateRequestList
coordination.k8s.io/v1: Lease LeaseList
coordination.k8s.io/v1alpha2: LeaseCandidate LeaseCandidateList
coordination.k8s.io/v1beta1: Lease LeaseCandidate LeaseCandidateList LeaseList
discovery.k8s.io/v1: EndpointSlice EndpointSliceList
discovery.k8s.io/v1beta1: EndpointSlice EndpointSliceList
events.k8s.io/v1: Event EventList
events.k8s.io/v1beta1: Event EventList
extensions/v1beta1: DaemonSet DaemonSetList Deployment DeploymentList DeploymentRollback Ingress IngressList
  NetworkPolicy NetworkPolicyList ReplicaSet ReplicaSetList Scale
flowcontrol.apiserver.k8s.io/v1: FlowSchema FlowSchemaList PriorityLevelConfiguration
  PriorityLevelConfigurationList
flowcontrol.apiserver.k8s.io/v1beta1: FlowSchema FlowSchemaList PriorityLevelConfiguration
  PriorityLevelConfigurationList
flowcontrol.apiserver.k8s.io/v1beta2: FlowSchema FlowSchemaList PriorityLevelConfiguration
  PriorityLevelConfigurationList
flowcontrol.apiserver.k8s.io/v1beta3: FlowSchema FlowSchemaList PriorityLevelConfiguration
  PriorityLevelConfigurationList
imagepolicy.k8s.io/v1alpha1: ImageReview
internal.apiserver.k8s.io/v1alpha1: StorageVersion StorageVersionList
networking.k8s.io/v1: IPAddress IPAddressList Ingress IngressClass IngressClassList IngressList NetworkPolicy
  NetworkPolicyList ServiceCIDR ServiceCIDRList
networking.k8s.io/v1beta1: IPAddress IPAddressList Ingress IngressClass IngressClassList IngressList ServiceCIDR
  ServiceCIDRList
node.k8s.io/v1: RuntimeClass RuntimeClassList
node.k8s.io/v1alpha1: RuntimeClass RuntimeClassList
node.k8s.io/v1beta1: RuntimeClass RuntimeClassList
policy/v1: Eviction PodDisruptionBudget PodDisruptionBudgetList
policy/v1beta1: Eviction PodDisruptionBudget PodDisruptionBudgetList
rbac.authorization.k8s.io/v1: ClusterRole ClusterRoleBinding ClusterRoleBindingList ClusterRoleList Role
  RoleBinding RoleBindingList RoleList
rbac.authorization.k8s.io/v1alpha1: ClusterRole ClusterRoleBinding ClusterRoleBindingList ClusterRoleList Role
  RoleBinding RoleBindingList RoleList
rbac.authorization.k8s.io/v1beta1: ClusterRole ClusterRoleBinding ClusterRoleBindingList ClusterRoleList Role
  RoleBinding RoleBindingList RoleList
resource.k8s.io/v1: DeviceClass DeviceClassList ResourceClaim ResourceClaimList ResourceClaimTemplate
  ResourceClaimTemplateList ResourceSlice ResourceSliceList
resource.k8s.io/v1alpha3: DeviceTaintRule DeviceTaintRuleList ResourcePoolStatusRequest
  ResourcePoolStatusRequestList
resource.k8s.io/v1beta1: DeviceClass DeviceClassList ResourceClaim ResourceClaimList ResourceClaimTemplate
  ResourceClaimTemplateList ResourceSlice ResourceSliceList
resource.k8s.io/v1beta2: DeviceClass DeviceClassList DeviceTaintRule DeviceTaintRuleList ResourceClaim
  ResourceClaimList ResourceClaimTemplate ResourceClaimTemplateList ResourceSlice ResourceSliceList
scheduling.k8s.io/v1: PriorityClass PriorityClassList
scheduling.k8s.io/v1alpha2: PodGroup PodGroupList Workload WorkloadList
scheduling.k8s.io/v1beta1: PriorityClass PriorityClassList
storage.k8s.io/v1: CSIDriver CSIDriverList CSINode CSINodeList CSIStorageCapacity CSIStorageCapacityList
  StorageClass StorageClassList VolumeAttachment VolumeAttachmentList VolumeAttributesClass
  VolumeAttributesClassList
storage.k8s.io/v1alpha1: CSIStorageCapacity CSIStorageCapacityList VolumeAttachment VolumeAttachmentList
  VolumeAttributesClass VolumeAttributesClassList
storage.k8s.io/v1beta1: CSIDriver CSIDriverList CSINode CSINodeList CSIStorageCapacity CSIStorageCapacityList
  StorageClass StorageClassList VolumeAttachment VolumeAttachmentList VolumeAttributesClass
  VolumeAttributesClassList
storagemigration.k8s.io/v1beta1: StorageVersionMigration StorageVersionMigrationList
v1: Binding ComponentStatus ComponentStatusList ConfigMap ConfigMapList Endpoints EndpointsList Event EventList
  LimitRange LimitRangeList List Namespace NamespaceList Node NodeList NodeProxyOptions PersistentVolume
  PersistentVolumeClaim PersistentVolumeClaimList PersistentVolumeList Pod PodAttachOptions PodExecOptions
  PodList PodLogOptions PodPortForwardOptions PodProxyOptions PodStatusResult PodTemplate PodTemplateList
  RangeAllocation ReplicationController ReplicationControllerList ResourceQuota ResourceQuotaList Secret
  SecretList SerializedReference Service ServiceAccount ServiceAccountList ServiceList ServiceProxyOptions
"""


def _parsed(text: str) -> dict[str, frozenset[str]]:
    """Parse lines such as ``group/version: Kind Kind``; return the kinds by group and version.

    An indented line continues the line before it.
    """
    kinds: dict[str, frozenset[str]] = {}
    for line in text.strip().replace("\n  ", " ").splitlines():
        api_version, _, names = line.partition(":")
        kinds[api_version] = frozenset(names.split())
    return kinds


KNOWN_KINDS: Final = KnownKinds(
    _parsed(_KINDS),
    # kube-apiserver converts Events of events.k8s.io/v1 to the internal type ``core.Event``, which its errors name.
    internal_groups={"events.k8s.io": ""},
    scheme="pkg/api/legacyscheme/scheme.go:30",
    own_schemes={
        "apiextensions.k8s.io": "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55",
        "apiregistration.k8s.io": "k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28",
    },
)
