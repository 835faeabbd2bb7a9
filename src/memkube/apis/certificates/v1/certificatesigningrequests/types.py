from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Bytes, Int32, Time

USAGES = (
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
)
"""Key usages that a CertificateSigningRequest may ask for."""


class CertificateSigningRequestSpec(ApiModel):
    """Certificate request in PEM, signer, usages, and the user that created the object. All fields are immutable."""

    request: Annotated[Bytes, Required()] = Field(
        default="", description="Certificate request (PKCS#10) in PEM, with the public key and the subject."
    )
    signerName: Annotated[str, Required()] = Field(
        default="", description="Name of the signer that should issue the certificate, such as example.com/signer."
    )
    expirationSeconds: Int32 | None = Field(
        default=None,
        description="Desired lifetime of the certificate in seconds, at least 600; the signer may choose another.",
    )
    usages: list[Annotated[str, Named("v1.KeyUsage", USAGES)]] = Field(
        default_factory=list, description="Key usages that the certificate should allow, such as client auth."
    )
    username: str = Field(default="", description="Name of the requesting user; set by the server.")
    uid: str = Field(default="", description="UID of the requesting user; set by the server.")
    groups: list[str] = Field(default_factory=list, description="Groups of the requesting user; set by the server.")
    extra: dict[str, Annotated[list[str], Named("v1.ExtraValue")]] = Field(
        default_factory=dict, description="Additional attributes of the requesting user; set by the server."
    )


class CertificateSigningRequestCondition(ApiModel):
    """A condition of a CertificateSigningRequest, such as Approved or Denied."""

    type: Annotated[str, Named("v1.RequestConditionType"), Required()] = Field(
        default="", description="Type of the condition: Approved, Denied, Failed or a signer's own."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="",
        description="Status of the condition: True, False or Unknown; only True for Approved, Denied and Failed.",
    )
    reason: str = Field(default="", description="Reason for the status, as one CamelCase word.")
    message: str = Field(default="", description="Human-readable explanation of the condition's status.")
    lastUpdateTime: Annotated[Time | None, Always()] = Field(
        default=None,
        description="Time when the condition was last updated; if unset, the server sets the current time.",
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None,
        description="Time when the condition's status last changed; if unset, the server sets the current time.",
    )


class CertificateSigningRequestStatus(ApiModel):
    """Conditions and issued certificate of a CertificateSigningRequest."""

    conditions: Annotated[list[CertificateSigningRequestCondition], MapList(("type",))] = Field(
        default_factory=list, description="Conditions of the request, such as Approved or Denied."
    )
    certificate: Bytes = Field(
        default="", description="Issued certificate in PEM, with intermediate certificates; immutable once it is set."
    )


class CertificateSigningRequest(ApiObject):
    """A request for a certificate, which the signer issues once the request is approved."""

    spec: Annotated[CertificateSigningRequestSpec, Required()] = Field(
        default_factory=CertificateSigningRequestSpec,
        description="Certificate request, signer and usages, and the user who asks for the certificate.",
    )
    status: CertificateSigningRequestStatus = Field(
        default_factory=CertificateSigningRequestStatus,
        description="Conditions of the request, and the issued certificate.",
    )
