"""What a template of pods gets where the client says nothing, whatever carries it."""

from memkube.apis.core.v1.podspec.defaults import default_pod_spec
from memkube.apis.core.v1.podspec.init_container_annotations import without_init_containers
from memkube.apis.core.v1.podspec.types.pod_template import PodTemplateSpec


def default_pod_template(template: PodTemplateSpec) -> None:
    """Fills a template in place, and brings old spellings to the current ones."""
    template.metadata.annotations = without_init_containers(template.metadata.annotations)
    default_pod_spec(template.spec)
