"""CertificateSigningRequests: certificates that are asked for."""

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
"""What a certificate may be good for."""


class CertificateSigningRequestSpec(ApiModel):
    """What is asked for, and by whom; it never changes."""

    request: Annotated[Bytes, Required()] = Field(default="", description="The request itself: PKCS#10 in PEM.")
    signerName: Annotated[str, Required()] = Field(
        default="", description="Who is to sign, as a name in a domain such as example.com/signer."
    )
    expirationSeconds: Int32 | None = Field(
        default=None, description="How long the certificate is to be valid, ten minutes at least; signers may decide."
    )
    usages: list[Annotated[str, Named("v1.KeyUsage", USAGES)]] = Field(
        default_factory=list, description="What the certificate is to be good for."
    )
    username: str = Field(default="", description="Who asked; written by the server.")
    uid: str = Field(default="", description="UID of who asked; written by the server.")
    groups: list[str] = Field(default_factory=list, description="Groups of who asked; written by the server.")
    extra: dict[str, Annotated[list[str], Named("v1.ExtraValue")]] = Field(
        default_factory=dict, description="What else is known of who asked; written by the server."
    )


class CertificateSigningRequestCondition(ApiModel):
    """What has been decided about a request."""

    type: Annotated[str, Named("v1.RequestConditionType"), Required()] = Field(
        default="", description="What the condition is about: Approved, Denied, Failed or a signer's own."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="True, False or Unknown; only True for Approved, Denied and Failed."
    )
    reason: str = Field(default="", description="Why, in one word.")
    message: str = Field(default="", description="Why, for people.")
    lastUpdateTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the condition was last updated; by default, when it is written."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the status last changed; by default, when it is written."
    )


class CertificateSigningRequestStatus(ApiModel):
    """What has become of a request."""

    conditions: Annotated[list[CertificateSigningRequestCondition], MapList(("type",))] = Field(
        default_factory=list, description="What has been decided."
    )
    certificate: Bytes = Field(
        default="", description="The certificate in PEM, with those between it and the root; it is issued once."
    )


class CertificateSigningRequest(ApiObject):
    """Asks a signer for a certificate, which it issues once the request is approved."""

    spec: Annotated[CertificateSigningRequestSpec, Required()] = Field(
        default_factory=CertificateSigningRequestSpec, description="What is asked for."
    )
    status: CertificateSigningRequestStatus = Field(
        default_factory=CertificateSigningRequestStatus, description="What has become of it."
    )
