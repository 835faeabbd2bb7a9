"""What a client says that an object has to be, for its deletion to be meant for it."""

from memkube.apimachinery.errors import GroupResource, conflict
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import Preconditions
from memkube.registry.resource import Resource


def check_record(resource: Resource, obj: ApiObject, preconditions: Preconditions) -> None:
    """Raises ApiError 409 for another uid or resourceVersion (apiserver ``rest/delete.go``, ``BeforeDelete``).

    Its conflict names the kind, where that of storage names the resource.
    """
    named, metadata = GroupResource(resource.group, resource.kind), obj.metadata
    uid, version = preconditions.uid, preconditions.resourceVersion
    if uid is not None and uid != metadata.uid:
        raise conflict(
            named,
            metadata.name,
            f"the UID in the precondition ({uid}) does not match the UID in record ({metadata.uid}). "
            "The object might have been deleted and then recreated",
        )
    if version is not None and version != metadata.resourceVersion:
        raise conflict(
            named,
            metadata.name,
            f"the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record "
            f"({metadata.resourceVersion}). The object might have been modified",
        )
