"""IPAddresses: allocated cluster IPs of services."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field

RESOURCE = Resource(
    group="networking.k8s.io",
    version="v1",
    kind="IPAddress",
    plural="ipaddresses",
    singular="ipaddress",
    namespaced=False,
    selectable_fields=name_field,
    short_names=("ip",),
    model=Lazy("memkube.apis.networking.v1.ipaddresses.types:IPAddress"),
    strategy=Lazy("memkube.apis.networking.v1.ipaddresses.strategy:IPAddressStrategy()"),
    printer=Lazy("memkube.apis.networking.v1.ipaddresses.columns:PRINTER"),
)
