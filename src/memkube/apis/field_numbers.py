"""The field numbers of all API packages, as protobuf encodes their types."""

from typing import Final

from memkube.apimachinery.meta.v1 import protobuf_fields as meta
from memkube.apimachinery.protobuf import FieldNumbers
from memkube.apis.apps.v1 import protobuf_fields as apps
from memkube.apis.authentication.v1 import protobuf_fields as authentication
from memkube.apis.authorization.v1 import protobuf_fields as authorization
from memkube.apis.autoscaling.v1 import protobuf_fields as autoscaling
from memkube.apis.batch.v1 import protobuf_fields as batch
from memkube.apis.coordination.v1 import protobuf_fields as coordination
from memkube.apis.core.v1 import protobuf_fields as core
from memkube.apis.events.v1 import protobuf_fields as events
from memkube.apis.policy.v1 import protobuf_fields as policy
from memkube.apis.settings.v1alpha1 import protobuf_fields as settings

_PACKAGES: Final = (
    meta,
    core,
    apps,
    autoscaling,
    batch,
    policy,
    coordination,
    events,
    authentication,
    authorization,
    settings,
)

FIELD_NUMBERS: Final[FieldNumbers] = {str(package.__package__): package.FIELDS for package in _PACKAGES}
