"""Table columns of CertificateSigningRequests (``printCertificateSigningRequest``)."""

from typing import Final

from memkube.apimachinery.duration import human_duration
from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(obj: Document) -> Cells:
    spec = obj["spec"]
    seconds = spec.get("expirationSeconds")
    return [
        obj["metadata"].get("name", ""),
        age(obj),
        spec.get("signerName") or "<none>",
        spec.get("username", ""),
        "<none>" if seconds is None else human_duration(seconds),
        _condition(obj["status"]),
    ]


def _condition(status: Document) -> str:
    types = {condition.get("type") for condition in status.get("conditions", ())}
    shown = "Denied" if "Denied" in types else "Approved" if "Approved" in types else "Pending"
    if "Failed" in types:
        shown += ",Failed"
    return f"{shown},Issued" if status.get("certificate") else shown


PRINTER: Final = CellPrinter(
    (
        NAME,
        AGE,
        column("SignerName", "Name of the signer."),
        column("Requestor", "Name of the requesting user."),
        column("RequestedDuration", "Requested lifetime of the certificate."),
        column("Condition", "Conditions, and whether the certificate is issued."),
    ),
    _cells,
)
