"""VolumeAttachments: requests to attach a volume to a node."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field, status_subresource

RESOURCE = Resource(
    group="storage.k8s.io",
    version="v1",
    kind="VolumeAttachment",
    plural="volumeattachments",
    singular="volumeattachment",
    namespaced=False,
    selectable_fields=name_field,
    model=Lazy("memkube.apis.storage.v1.volumeattachments.types:VolumeAttachment"),
    strategy=Lazy("memkube.apis.storage.v1.volumeattachments.strategy:VolumeAttachmentStrategy()"),
    printer=Lazy("memkube.apis.storage.v1.volumeattachments.columns:PRINTER"),
    subresources=(
        status_subresource(Lazy("memkube.apis.storage.v1.volumeattachments.strategy:VolumeAttachmentStatusStrategy()")),
    ),
)
