"""A kind with a field of every type that has its own protobuf encoding."""

from typing import ClassVar, Final

from pydantic import Field

from memkube.apimachinery.field_facts import GoPackage, go_package
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.protobuf import Messages
from memkube.apimachinery.scalars import Bytes, Int32, Int64, IntOrString, MicroTime, Quantity, Raw, Time
from memkube.apimachinery.schema import struct_of

GO_PACKAGE: Final = "example.com/gadgets/v1"


class Origin(ApiModel):
    url: str = ""
    size: Int32 | None = None


class NamedPart(ApiModel):
    go_struct: ClassVar[bool] = False

    name: str = ""


class Part(Origin, NamedPart):
    parts: list["Part"] = Field(default_factory=list)


class Gadget(ApiObject):
    text: str | None = None
    small: Int32 = 0
    large: Int64 = 0
    flag: bool | None = None
    ratio: float = 0.0
    data: Bytes = ""
    amount: Quantity | None = None
    since: Time | None = None
    at: MicroTime | None = None
    port: IntOrString = 0
    anything: Raw | None = None
    tags: list[str] = Field(default_factory=list)
    codes: list[Int32] = Field(default_factory=list)
    labels: dict[str, str] = Field(default_factory=dict)
    amounts: dict[str, Quantity] = Field(default_factory=dict)
    groups: dict[str, list[str]] = Field(default_factory=dict)
    part: Part | None = None
    named: dict[str, Part] = Field(default_factory=dict)


GADGET: Final = struct_of(Gadget)
GADGETS: Final = GoPackage(
    {
        "package": GO_PACKAGE,
        "imports": {
            "intstr": "k8s.io/apimachinery/pkg/util/intstr",
            "metav1": "k8s.io/apimachinery/pkg/apis/meta/v1",
            "resource": "k8s.io/apimachinery/pkg/api/resource",
            "runtime": "k8s.io/apimachinery/pkg/runtime",
        },
        "types": {"Amounts": "map[string]resource.Quantity", "Colour": "string", "Names": "[]string"},
        "wrapped": ["Names"],
        "structs": {
            "Gadget": (
                "TypeMeta: metav1.TypeMeta, ObjectMeta:metadata metav1.ObjectMeta 1, Text *string 2, Small int32 3, "
                "Large int64 4, Flag *bool 5, Ratio float64 6, Data []byte 7, Amount *resource.Quantity 8, "
                "Since *metav1.Time 9, At *metav1.MicroTime 10, Port intstr.IntOrString 11, "
                "Anything runtime.RawExtension 12, Tags []string 13, Codes []int32 14, Labels map[string]string 15, "
                "Amounts Amounts 16, Groups map[string]Names 17, Part *Part 18, Named map[string]Part 19"
            ),
            "Part": "Name Colour 1, Origin: Origin 2, Parts []Part 3",
            "Origin": "URL:url string 1, Size *int32 2",
        },
    }
)


def packages(path: str) -> GoPackage:
    """Return the Go package at an import path: that of the test's types, or one of Kubernetes."""
    return GADGETS if path == GO_PACKAGE else go_package(path)


MESSAGES: Final = Messages(packages)
