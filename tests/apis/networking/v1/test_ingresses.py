from typing import Any

import pytest

from memkube.apis.networking.v1.ingresses.columns import PRINTER
from memkube.apis.networking.v1.ingresses.strategy import IngressStatusStrategy, IngressStrategy
from memkube.apis.networking.v1.ingresses.types import Ingress
from memkube.apis.networking.v1.ingresses.validation import (
    is_wildcard_subdomain,
    validate_ingress,
    validate_ingress_status_update,
    validate_ingress_update,
)

_BACKEND = {"service": {"name": "web", "port": {"number": 80}}}


def _ingress(spec: dict[str, Any], **metadata: Any) -> Ingress:
    metadata = {"name": "web", "namespace": "default", "resourceVersion": "1", **metadata}
    return Ingress.from_document({"metadata": metadata, "spec": spec})


def _with_path(**path: Any) -> dict[str, Any]:
    return {"rules": [{"http": {"paths": [{"backend": _BACKEND, **path}]}}]}


def _errors(spec: dict[str, Any]) -> list[str]:
    return [str(error).removeprefix("spec.") for error in validate_ingress(_ingress(spec))]


def test_an_ingress_needs_a_rule_or_a_backend() -> None:
    why = "either `defaultBackend` or `rules` must be specified"
    assert _errors({}) == [f"spec: Invalid value: null: {why}"]
    assert _errors({"rules": []}) == [f"spec: Invalid value: []: {why}"]


@pytest.mark.parametrize("path", ["/a//b", "/a/./b", "/a/../b", "/a%2fb", "/a%2Fb"])
def test_parts_of_exact_paths_are_no_way_around(path: str) -> None:
    [error] = _errors(_with_path(path=path, pathType="Exact"))
    assert error.startswith(f'rules[0].http.paths[0].path: Invalid value: "{path}": must not contain')


@pytest.mark.parametrize("path", ["/a/..", "/a/."])
def test_prefixes_do_not_end_in_dots(path: str) -> None:
    ending = path.removeprefix("/a")
    assert _errors(_with_path(path=path, pathType="Prefix")) == [
        f"rules[0].http.paths[0].path: Invalid value: \"{path}\": cannot end with '{ending}'"
    ]


@pytest.mark.parametrize("path", ["", "/a//b", "/*"])
def test_what_is_specific_to_an_implementation_is_any_absolute_path(path: str) -> None:
    assert _errors(_with_path(path=path, pathType="ImplementationSpecific")) == []


def test_a_backend_is_a_service_or_a_resource() -> None:
    resource = {"kind": "Bucket", "name": "icons"}
    both = {"defaultBackend": {**_BACKEND, "resource": resource}}
    assert _errors(both) == ['defaultBackend: Invalid value: "": cannot set both resource and service backends']
    assert _errors({"defaultBackend": {"resource": resource}}) == []


def test_services_may_begin_with_a_digit() -> None:
    assert _errors({"defaultBackend": {"service": {"name": "1st", "port": {"name": "http"}}}}) == []


@pytest.mark.parametrize(
    ("host", "right"), [("*.example.com", True), ("*", False), ("*.*.com", False), ("a.*.com", False)]
)
def test_a_wildcard_is_the_first_label(host: str, right: bool) -> None:
    assert (not is_wildcard_subdomain(host)) is right


def test_wrong_secret_names_may_stay_as_they_are() -> None:
    old = _ingress({"defaultBackend": _BACKEND, "tls": [{"secretName": "A_B"}]})
    assert validate_ingress_update(old, old) == []
    assert len(validate_ingress(old)) == 1


def test_wrong_rules_of_wildcards_may_stay_wrong() -> None:
    old = _ingress({"rules": [{"host": "*.example.com", "http": {"paths": [{"path": "x", "pathType": "Exact"}]}}]})
    assert validate_ingress_update(old, old) == []
    assert len(validate_ingress(old)) == 2


def test_class_and_annotation_differ_only_after_the_creation() -> None:
    spec = {"defaultBackend": _BACKEND, "ingressClassName": "a"}
    ingress = _ingress(spec, annotations={"kubernetes.io/ingress.class": "b"})
    assert [error.field for error in validate_ingress(ingress)] == ["annotations.kubernetes.io/ingress.class"]
    assert validate_ingress_update(ingress, ingress) == []


def test_the_annotation_alone_is_deprecated() -> None:
    annotations = {"kubernetes.io/ingress.class": "b"}
    assert IngressStrategy().warnings_on_create(_ingress({}, annotations=annotations)) == [
        "annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead"
    ]
    assert IngressStrategy().warnings_on_create(_ingress({"ingressClassName": "a"}, annotations=annotations)) == []


def _reached_at(*points: dict[str, Any]) -> Ingress:
    ingress = _ingress({"defaultBackend": _BACKEND})
    status = {"loadBalancer": {"ingress": list(points)}}
    return Ingress.from_document({**ingress.to_document(), "status": status})


def test_an_address_that_was_there_may_stay() -> None:
    new, old = _reached_at({"ip": "010.0.0.1"}), _reached_at()
    assert validate_ingress_status_update(new, new) == []
    [error] = validate_ingress_status_update(new, old)
    assert str(error) == 'status.loadBalancer.ingress[0].ip: Invalid value: "010.0.0.1": must not have leading 0s'


def test_a_hostname_is_no_address() -> None:
    [error] = validate_ingress_status_update(_reached_at({"hostname": "10.0.0.1"}), _reached_at())
    assert error.detail == "must be a DNS name, not an IP address"


def test_addresses_in_unusual_forms_earn_a_warning() -> None:
    new = _reached_at({"hostname": "a"}, {"ip": "2001:DB8::1"})
    [warning] = IngressStatusStrategy().warnings_on_update(new, _reached_at())
    assert warning.startswith('status.loadBalancer.ingress[1]: IPv6 address "2001:DB8::1" should be')


@pytest.mark.parametrize(
    ("hosts", "shown"),
    [([], "*"), (["a", "", "b"], "a,b"), (["a", "b", "c"], "a,b,c"), (["a", "", "b", "c", "d"], "a,b,c + 2 more...")],
)
def test_a_row_tells_the_first_hosts(hosts: list[str], shown: str) -> None:
    rules = [{"host": host} if host else {} for host in hosts]
    document = _ingress({"rules": rules}).to_document()
    assert PRINTER.row(document).cells[2] == shown
