"""A kind with a field of every type that protobuf encodes in a way of its own."""

from typing import ClassVar, Final

from pydantic import Field

from memkube.apimachinery.meta.v1 import protobuf_fields as meta
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.protobuf import FieldNumbers, Messages
from memkube.apimachinery.scalars import Bytes, Int32, Int64, IntOrString, MicroTime, Quantity, Raw, Time
from memkube.apimachinery.schema import struct_of


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
NUMBERS: Final[FieldNumbers] = {
    str(meta.__package__): meta.FIELDS,
    __name__: {
        "Gadget": (
            "metadata=1 text=2 small=3 large=4 flag=5 ratio=6 data=7 amount=8 since=9 at=10 port=11 anything=12 "
            "tags=13 codes=14 labels=15 amounts=16 groups=17 part=18 named=19"
        ),
        "Part": "name=1 Origin=2 parts=3",
        "Origin": "url=1 size=2",
    },
}
MESSAGES: Final = Messages(NUMBERS)
