"""Field numbers of the meta/v1 messages. Source: the protobuf tags of the reference's types."""

from collections.abc import Mapping
from typing import Final

FIELDS: Final[Mapping[str, str]] = {
    "APIGroup": "name=1 versions=2 preferredVersion=3 serverAddressByClientCIDRs=4",
    "APIGroupList": "groups=1",
    "APIResource": (
        "name=1 singularName=6 namespaced=2 group=8 version=9 kind=3 verbs=4 shortNames=5 categories=7 "
        "storageVersionHash=10"
    ),
    "APIResourceList": "groupVersion=1 resources=2",
    "APIVersions": "versions=1 serverAddressByClientCIDRs=2",
    "Condition": "type=1 status=2 observedGeneration=3 lastTransitionTime=4 reason=5 message=6",
    "DeleteOptions": (
        "gracePeriodSeconds=1 preconditions=2 orphanDependents=3 propagationPolicy=4 dryRun=5 "
        "ignoreStoreReadErrorWithClusterBreakingPotential=6"
    ),
    "FieldSelectorRequirement": "key=1 operator=2 values=3",
    "GroupVersionForDiscovery": "groupVersion=1 version=2",
    "LabelSelector": "matchLabels=1 matchExpressions=2",
    "LabelSelectorRequirement": "key=1 operator=2 values=3",
    "ListMeta": "selfLink=1 resourceVersion=2 continue=3 remainingItemCount=4 shardInfo=5",
    "ManagedFieldsEntry": "manager=1 operation=2 apiVersion=3 time=4 fieldsType=6 fieldsV1=7 subresource=8",
    "ObjectMeta": (
        "name=1 generateName=2 namespace=3 selfLink=4 uid=5 resourceVersion=6 generation=7 creationTimestamp=8 "
        "deletionTimestamp=9 deletionGracePeriodSeconds=10 labels=11 annotations=12 ownerReferences=13 finalizers=14 "
        "managedFields=17"
    ),
    "OwnerReference": "apiVersion=5 kind=1 name=3 uid=4 controller=6 blockOwnerDeletion=7",
    "PartialObjectMetadata": "metadata=1",
    "PartialObjectMetadataList": "metadata=1 items=2",
    "Preconditions": "uid=1 resourceVersion=2",
    "ServerAddressByClientCIDR": "clientCIDR=1 serverAddress=2",
    "ShardInfo": "selector=1",
    "Status": "metadata=1 status=2 message=3 reason=4 details=5 code=6",
    "StatusCause": "reason=1 message=2 field=3",
    "StatusDetails": "name=1 group=2 kind=3 uid=6 causes=4 retryAfterSeconds=5",
    "TypeMeta": "kind=1 apiVersion=2",
    "WatchEvent": "type=1 object=2",
}
