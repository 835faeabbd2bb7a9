from typing import Any

import pytest

from memkube.apis.core.v1.podspec.internal_form import internal_difference
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.security import PodSecurityContext


def added_lines(**fields: Any) -> list[str]:
    """Return the lines in which the internal form of a spec differs from that of an empty spec."""
    difference = internal_difference(PodSpec(), PodSpec.from_document(fields))
    return [line[1:].strip(" ,") for line in difference.splitlines() if line[0] == "+"]


def volume(**source: Any) -> dict[str, Any]:
    return {"volumes": [{"name": "v", **source}]}


@pytest.mark.parametrize("name", sorted(PodSpec.model_fields.keys() - {"serviceAccount", "securityContext"}))
def test_every_field_of_a_pod_spec_is_shown(name: str) -> None:
    assert internal_difference(PodSpec(), PodSpec().model_copy(update={name: "x"}))


@pytest.mark.parametrize("name", sorted(PodSecurityContext.model_fields))
def test_every_field_of_the_security_context_is_shown(name: str) -> None:
    before, after = PodSecurityContext(), PodSecurityContext().model_copy(update={name: "x"})
    assert internal_difference(PodSpec(securityContext=before), PodSpec(securityContext=after))


def test_what_concerns_the_host_is_in_the_security_context() -> None:
    assert added_lines(hostPID=True, hostUsers=False) == ['"HostPID": true', '"HostUsers": false']


def test_the_metadata_of_a_claim_template_is_embedded() -> None:
    lines = added_lines(**volume(ephemeral={"volumeClaimTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": {}}}))
    start = lines.index('"VolumeClaimTemplate": {')
    assert lines[start + 1 : start + 5] == ['"labels": {', '"a": "b"', "}", '"Spec": {']


def test_names_that_are_prefixed_inside_are_shown_so() -> None:
    lines = added_lines(**volume(rbd={"monitors": ["m"], "image": "i", "pool": "p", "user": "u"}))
    assert {'"CephMonitors": [', '"RBDImage": "i"', '"RBDPool": "p"', '"RadosUser": "u"'} <= set(lines)
    assert '"EndpointsName": "e"' in added_lines(**volume(glusterfs={"endpoints": "e", "path": "p"}))
