from typing import Any

import pytest

from memkube.apimachinery.field_facts import GoPackage
from memkube.apimachinery.go_dump import dump_for_hash

THINGS = GoPackage(
    {
        "package": "example.com/things/v1",
        "imports": {
            "intstr": "k8s.io/apimachinery/pkg/util/intstr",
            "resource": "k8s.io/apimachinery/pkg/api/resource",
        },
        "types": {"Policy": "string", "DNSPolicy": "string", "ResourceList": "map[Policy]resource.Quantity"},
        "structs": {
            "Thing": (
                "Name string, TTY:tty bool, FSGroup:fsGroup *int64, DeprecatedPort:port intstr.IntOrString, "
                "Parts []Part, Inner: Inner, Limits ResourceList, Labels map[string]string, Policy Policy, Part *Part"
            ),
            "Part": "ID:id int32",
            "Inner": "DNSPolicy:dnsPolicy DNSPolicy",
        },
    }
)


def printed(**fields: Any) -> str:
    return dump_for_hash(THINGS, "Thing", fields)


def test_what_is_not_there_is_printed_with_its_type() -> None:
    assert printed() == (
        "(v1.Thing){Name:(string) TTY:(bool)false FSGroup:(*int64)<nil> "
        "DeprecatedPort:(intstr.IntOrString){Type:(intstr.Type)0 IntVal:(int32)0 StrVal:(string)} "
        "Parts:([]v1.Part)<nil> Inner:(v1.Inner){DNSPolicy:(v1.DNSPolicy)} Limits:(v1.ResourceList)<nil> "
        "Labels:(map[string]string)<nil> Policy:(v1.Policy) Part:(*v1.Part)<nil>}"
    )


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"name": "a b"}, "Name:(string)a b "),
        ({"fsGroup": 0}, "FSGroup:(*int64)0 "),
        ({"port": "http"}, "{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)http}"),
        ({"parts": [{"id": 1}, {}]}, "Parts:([]v1.Part)[{ID:(int32)1} {ID:(int32)0}] "),
        ({"part": {}}, "Part:(*v1.Part){ID:(int32)0}"),
        ({"dnsPolicy": "Default"}, "Inner:(v1.Inner){DNSPolicy:(v1.DNSPolicy)Default} "),
        ({"labels": {"b": "2", "a": "1"}}, "Labels:(map[string]string)map[a:1 b:2] "),
    ],
)
def test_what_is_there_is_printed_in_its_place(fields: dict[str, Any], part: str) -> None:
    assert part in printed(**fields)


@pytest.mark.parametrize(
    ("text", "value", "scale", "kept", "form"),
    [
        ("100m", 100, -3, "100m", "DecimalSI"),
        ("1500m", 1500, -3, "1500m", "DecimalSI"),
        ("2", 2, 0, "2", "DecimalSI"),
        ("2000", 2000, 0, "", "DecimalSI"),
        ("64Mi", 64 * 2**20, 0, "", "BinarySI"),
        ("100Mi", 100 * 2**20, 0, "100Mi", "BinarySI"),
        ("1e3", 1, 3, "1e3", "DecimalExponent"),
        ("0", 0, 0, "0", "DecimalSI"),
    ],
)
def test_a_quantity_is_printed_as_it_was_parsed(text: str, value: int, scale: int, kept: str, form: str) -> None:
    amount = f"i:(resource.int64Amount){{value:(int64){value} scale:(resource.Scale){scale}}}"
    rest = f"d:(resource.infDecAmount){{Dec:(*inf.Dec)<nil>}} s:(string){kept} Format:(resource.Format){form}"
    assert f"map[memory:{{{amount} {rest}}}]" in printed(limits={"memory": text})
