from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column

_NONE: Final = "<none>"


def _cells(service: Document) -> Cells:
    spec = service["spec"]
    selector = ",".join(f"{key}={value}" for key, value in sorted((spec.get("selector") or {}).items()))
    return [
        service["metadata"].get("name", ""),
        spec.get("type", ""),
        (spec.get("clusterIPs") or [_NONE])[0],
        _external_address(service),
        ",".join(map(_port, spec.get("ports") or [])) or _NONE,
        age(service),
        selector or _NONE,
    ]


def _external_address(service: Document) -> str:
    spec = service["spec"]
    external = spec.get("externalIPs") or []
    match spec.get("type"):
        case "ClusterIP" | "NodePort":
            return ",".join(external) or _NONE
        case "LoadBalancer":
            ingress = service["status"]["loadBalancer"].get("ingress") or []
            points = {point.get("ip") or point.get("hostname", "") for point in ingress}
            return ",".join([*sorted(points - {""}), *external]) or "<pending>"
        case "ExternalName":
            return str(spec.get("externalName", ""))
        case _:
            return "<unknown>"


def _port(port: Document) -> str:
    on_nodes = f":{port['nodePort']}" if port.get("nodePort", 0) > 0 else ""
    return f"{port['port']}{on_nodes}/{port.get('protocol', '')}"


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Type", "Type of the service."),
        column("Cluster-IP", "Cluster-internal IP address."),
        column("External-IP", "External IP addresses."),
        column("Port(s)", "Ports of the service, with node ports."),
        AGE,
        column("Selector", "Labels of the pods to route to.", wide=True),
    ),
    _cells,
)
