"""The files that configure names in a container: ``/etc/hosts``, ``/etc/hostname`` and ``/etc/resolv.conf``.

The kubelet writes ``/etc/hosts`` (``ensureHostsFile``), and the container runtime the others, ``/etc/resolv.conf`` from
the kubelet's DNS configuration (``pkg/kubelet/network/dns``).
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from memkube.apis.core.v1.podspec.types.pod_spec import HostAlias, PodSpec
from memkube.controllers.kubelet.pod_context import CLUSTER_DOMAIN, PodContext
from memkube.controllers.kubelet.programs.resolver import NAME_SERVER

HOSTS: Final = "/etc/hosts"
HOST_NAME: Final = "/etc/hostname"
RESOLVER: Final = "/etc/resolv.conf"
_LOCAL: Final = "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"
_OF_PODS: Final = (
    f"# Kubernetes-managed hosts file.\n{_LOCAL}"
    "fe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n"
)
_OF_HOST_NETWORK: Final = "# Kubernetes-managed hosts file (host network).\n"
_MOST_NAME_SERVERS: Final = 3
_MOST_DOMAINS: Final = 32
_LONGEST_SEARCH_LINE: Final = 2048


class DnsConfig(NamedTuple):
    """DNS configuration of a pod: the lines of its ``/etc/resolv.conf``."""

    searches: Sequence[str]
    nameservers: Sequence[str]
    options: Sequence[str]

    @property
    def text(self) -> str:
        """The contents of ``/etc/resolv.conf``."""
        lines = [f"nameserver {server}\n" for server in self.nameservers]
        if self.searches:
            lines.insert(0, f"search {' '.join(self.searches)}\n")
        if self.options:
            lines.append(f"options {' '.join(self.options)}\n")
        return "".join(lines)


_OF_NODE: Final = DnsConfig((".",), ("127.0.0.1",), ())
"""DNS configuration for the policy Default: that of a kubelet whose ``resolvConf`` is empty. It resolves no names."""


def hosts_of_node(host_ip: str, node: str) -> str:
    """Return the contents of ``/etc/hosts`` of a node."""
    return f"{_LOCAL}fe00::0\tip6-localnet\nff02::1\tip6-allnodes\nff02::2\tip6-allrouters\n{host_ip}\t{node}\n"


def hosts_of_pod(pod_ip: str, hostname: str, domain: str, aliases: Sequence[HostAlias]) -> str:
    """Return the contents of ``/etc/hosts`` of a pod; `aliases` are the ``hostAliases`` in its spec."""
    names = f"{hostname}.{domain}\t{hostname}" if domain else hostname
    return f"{_OF_PODS}{pod_ip}\t{names}\n{_aliases(aliases)}"


def hosts_of_host_network(host_ip: str, node: str, aliases: Sequence[HostAlias]) -> str:
    """Return the contents of ``/etc/hosts`` of a pod that uses the network of its node."""
    return f"{_OF_HOST_NETWORK}{hosts_of_node(host_ip, node)}{_aliases(aliases)}"


def _aliases(aliases: Sequence[HostAlias]) -> str:
    lines = [f"{alias.ip}\t" + "\t".join(alias.hostnames) + "\n" for alias in aliases]
    return "\n# Entries added by HostAliases.\n" + "".join(lines) if lines else ""


def resolver_of_pod(context: PodContext) -> str:
    """Return the contents of ``/etc/resolv.conf`` of a pod. Pods with the same configuration share the result."""
    if context.pod.spec.dnsConfig is None:
        return _resolver_of_policy(_policy(context.pod.spec), context.pod.metadata.namespace)
    return dns_config(context)[0].text


@lru_cache(maxsize=1000)
def _resolver_of_policy(policy: str, namespace: str) -> str:
    return _of_policy(policy, namespace).text


def dns_config(context: PodContext) -> tuple[DnsConfig, list[str]]:
    """Return the DNS configuration of a pod, and messages for Events if it exceeds the limits of the kubelet.

    Name servers and search domains of the pod's ``dnsPolicy`` come before those of its ``dnsConfig``. Those that exceed
    the limits are left out.
    """
    spec = context.pod.spec
    of_policy = _of_policy(_policy(spec), context.pod.metadata.namespace)
    if spec.dnsConfig is None:
        return of_policy, []
    named = dict(option.partition(":")[::2] for option in of_policy.options)
    named |= {option.name: option.value or "" for option in spec.dnsConfig.options}
    found = DnsConfig(
        _distinct((*of_policy.searches, *spec.dnsConfig.searches)),
        _distinct((*of_policy.nameservers, *spec.dnsConfig.nameservers)),
        [f"{name}:{value}" if value else name for name, value in named.items()],
    )
    fitting = found._replace(
        searches=_fitting(found.searches[:_MOST_DOMAINS]), nameservers=found.nameservers[:_MOST_NAME_SERVERS]
    )
    problems = []
    if fitting.nameservers != found.nameservers:
        problems.append(
            "Nameserver limits were exceeded, some nameservers have been omitted, "
            f"the applied nameserver line is: {' '.join(fitting.nameservers)}"
        )
    if fitting.searches != found.searches:
        problems.append(
            "Search Line limits were exceeded, some search paths have been omitted, "
            f"the applied search line is: {' '.join(fitting.searches)}"
        )
    return fitting, problems


def _policy(spec: PodSpec) -> str:
    """Return the DNS policy that holds for a pod: ``Default``, ``None`` or ``ClusterFirst``.

    In the network of the node, ``ClusterFirst`` means ``Default``.
    """
    if spec.dnsPolicy == "ClusterFirst" and spec.hostNetwork:
        return "Default"
    return "ClusterFirst" if spec.dnsPolicy == "ClusterFirstWithHostNet" else spec.dnsPolicy


def _of_policy(policy: str, namespace: str) -> DnsConfig:
    if policy == "None":
        return DnsConfig((), (), ())
    if policy == "Default":
        return _OF_NODE
    zone = f"svc.{CLUSTER_DOMAIN}"
    return DnsConfig((f"{namespace}.{zone}", zone, CLUSTER_DOMAIN), (NAME_SERVER,), ("ndots:5",))


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _fitting(searches: Sequence[str]) -> Sequence[str]:
    """Return the first search domains: as many as fit on one line of ``/etc/resolv.conf``."""
    while len(" ".join(searches)) > _LONGEST_SEARCH_LINE:
        searches = searches[:-1]
    return searches
