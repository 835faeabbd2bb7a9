"""Rules for adding ephemeral containers to a pod."""

from memkube.apimachinery.field_errors import FieldError, forbidden
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.pods.types.pod import Pod
from memkube.apis.core.v1.pods.validation.create import SPEC
from memkube.apis.core.v1.pods.validation.update import validate_change
from memkube.apis.core.v1.podspec.internal_form import internal_difference
from memkube.apis.core.v1.podspec.validation.resource_claims import MIRROR_POD


def validate_pod_ephemeral_containers_update(new: Pod, old: Pod) -> list[FieldError]:
    """Containers that are there stay as they are."""
    if MIRROR_POD in old.metadata.annotations:
        return [forbidden("[]", "static pods do not support ephemeral containers")]
    errors = validate_change(new, old)
    path = SPEC.child("ephemeralContainers")
    after = {container.name: container for container in new.spec.ephemeralContainers}
    for container in old.spec.ephemeralContainers:
        name = quoted(container.name)
        if container.name not in after:
            errors.append(forbidden(path, f"existing ephemeral containers {name} may not be removed\n"))
        elif after[container.name] != container:
            difference = internal_difference(container, after[container.name])
            errors.append(forbidden(path, f"existing ephemeral containers {name} may not be changed\n{difference}"))
    return errors
