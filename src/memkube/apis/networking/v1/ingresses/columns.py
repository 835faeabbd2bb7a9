from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column

_MOST_HOSTS: Final = 3


def _cells(ingress: Document) -> Cells:
    spec = ingress["spec"]
    class_name = spec.get("ingressClassName")
    return [
        ingress["metadata"].get("name", ""),
        "<none>" if class_name is None else class_name,
        _hosts([rule.get("host", "") for rule in spec.get("rules") or ()]),
        _address(ingress["status"]["loadBalancer"].get("ingress") or []),
        "80, 443" if spec.get("tls") else "80",
        age(ingress),
    ]


def _hosts(hosts: list[str]) -> str:
    """Return the table cell for the hosts of an ingress: up to three hosts, and the number of further hosts.

    As in kube-apiserver, the number includes rules without a host.
    """
    shown: list[str] = []
    for host in hosts:
        if len(shown) == _MOST_HOSTS:
            return f"{','.join(shown)} + {len(hosts) - _MOST_HOSTS} more..."
        if host:
            shown.append(host)
    return ",".join(shown) or "*"


def _address(points: list[Document]) -> str:
    """Return the table cell for the addresses of an ingress, separated by commas and not truncated.

    `points` is the field ``status.loadBalancer.ingress``, a list of IP addresses and host names.
    """
    addresses = {point.get("ip") or point.get("hostname", "") for point in points} - {""}
    return ",".join(sorted(addresses))


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Class", "IngressClass of the ingress."),
        column("Hosts", "Hosts of the rules."),
        column("Address", "Addresses of the load balancer."),
        column("Ports", "Ports of the load balancer: 80, and 443 if there is TLS."),
        AGE,
    ),
    _cells,
)
