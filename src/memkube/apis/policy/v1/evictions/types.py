"""."""

from pydantic import Field

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.meta.v1.object_meta import ObjectMeta


class Eviction(ApiObject):
    """."""

    deleteOptions: DeleteOptions | None = Field(default=None, description="")
