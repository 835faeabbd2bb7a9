from typing import Any

from memkube.apimachinery.field_errors import FieldPath
from memkube.apis.core.v1.podspec.defaults import default_pod_spec
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec
from memkube.apis.core.v1.podspec.validation.pod_spec import validate_pod_template_spec
from memkube.apis.core.v1.podspec.warnings.pod_template import pod_template_warnings
from tests.apis.core.v1.pods.examples import container

PATH = FieldPath("spec").child("template")


def template(metadata: dict[str, Any] | None = None, **spec: Any) -> PodTemplateSpec:
    document = {"metadata": metadata or {}, "spec": {"containers": [container()], **spec}}
    made = PodTemplateSpec.from_document(document)
    default_pod_spec(made.spec)
    return made


def errors_of(made: PodTemplateSpec) -> list[str]:
    return [str(error) for error in validate_pod_template_spec(made, PATH)]


def test_a_template_needs_no_name() -> None:
    assert errors_of(template()) == []


def test_a_template_may_leave_ports_of_the_node_open() -> None:
    made = template(hostNetwork=True, containers=[container(ports=[{"containerPort": 80}])])
    assert errors_of(made) == []


def test_paths_lead_to_the_template() -> None:
    assert errors_of(template({"labels": {"a b": "c"}}, ephemeralContainers=[container(name="e")]))[-1] == (
        "spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"
    )


def test_warnings_tell_paths_in_the_template() -> None:
    made = template(terminationGracePeriodSeconds=-1)
    assert pod_template_warnings(made, FieldPath("template")) == [
        (
            "template.spec.terminationGracePeriodSeconds: must be >= 0; "
            "negative values are invalid and will be treated as 1"
        )
    ]


def test_a_template_with_an_apparmor_annotation_earns_a_warning() -> None:
    key = "container.apparmor.security.beta.kubernetes.io/app"
    made = template({"annotations": {key: "unconfined"}})
    assert pod_template_warnings(made, FieldPath("template")) == [
        f'template.metadata.annotations[{key}]: deprecated since v1.30; use the "appArmorProfile" field instead'
    ]
