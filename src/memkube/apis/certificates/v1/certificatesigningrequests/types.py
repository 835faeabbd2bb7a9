"""CertificateSigningRequests: certificates that are asked for."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Bytes, Int32, Time


class CertificateSigningRequestSpec(ApiModel):
    """TODO."""

    request: Annotated[Bytes, Required()] = Field(default="", description="TODO")
    signerName: Annotated[str, Required()] = Field(default="", description="TODO")
    expirationSeconds: Int32 | None = Field(default=None, description="TODO")
    usages: list[
        Annotated[
            str,
            Named(
                "v1.KeyUsage",
                (
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
                ),
            ),
        ]
    ] = Field(default_factory=list, description="TODO")
    username: str = Field(default="", description="TODO")
    uid: str = Field(default="", description="TODO")
    groups: list[str] = Field(default_factory=list, description="TODO")
    extra: dict[str, Annotated[list[str], Named("v1.ExtraValue")]] = Field(default_factory=dict, description="TODO")


class CertificateSigningRequestCondition(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v1.RequestConditionType"), Required()] = Field(default="", description="TODO")
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(default="", description="TODO")
    reason: str = Field(default="", description="TODO")
    message: str = Field(default="", description="TODO")
    lastUpdateTime: Annotated[Time | None, Always()] = Field(default=None, description="TODO")
    lastTransitionTime: Annotated[Time | None, Always()] = Field(default=None, description="TODO")


class CertificateSigningRequestStatus(ApiModel):
    """TODO."""

    conditions: Annotated[list[CertificateSigningRequestCondition], MapList(("type",))] = Field(
        default_factory=list, description="TODO"
    )
    certificate: Bytes = Field(default="", description="TODO")


class CertificateSigningRequest(ApiObject):
    """TODO."""

    spec: Annotated[CertificateSigningRequestSpec, Required()] = Field(
        default_factory=CertificateSigningRequestSpec, description="TODO"
    )
    status: CertificateSigningRequestStatus = Field(default_factory=CertificateSigningRequestStatus, description="TODO")
