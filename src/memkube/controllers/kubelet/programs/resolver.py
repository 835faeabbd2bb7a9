"""Resolves host names for simulated programs, from ``/etc/hosts`` and with the servers in ``/etc/resolv.conf``."""

from ipaddress import ip_address
from typing import Final, NamedTuple

from memkube.controllers.kubelet.programs.files import Files
from memkube.controllers.kubelet.programs.program import NotSimulated, Session

NAME_SERVER: Final = "10.0.0.10"
"""IP address of the cluster DNS. No other DNS server answers."""
_LOCAL: Final = "127.0.0.1"


class Resolver(NamedTuple):
    """The configuration in ``/etc/resolv.conf``."""

    nameservers: tuple[str, ...] = (_LOCAL,)
    searches: tuple[str, ...] = ()
    ndots: int = 1
    """Minimum number of dots in a name that is looked up unchanged before the search domains are tried."""

    @classmethod
    def of(cls, files: Files) -> "Resolver":
        """Read the configuration from the files of a container. Without the file, the name server is 127.0.0.1."""
        try:
            text = files.read("/etc/resolv.conf").decode(errors="replace")
        except OSError:
            return cls()
        nameservers: list[str] = []
        found = cls()
        for line in text.splitlines():
            match line.split():
                case ["nameserver", server, *_]:
                    nameservers.append(server)
                case ["search" | "domain", *domains]:
                    found = found._replace(searches=tuple(domains))
                case ["options", *options]:
                    numbers = [option[6:] for option in options if option.startswith("ndots:") and option[6:].isdigit()]
                    found = found._replace(ndots=int(numbers[-1]) if numbers else found.ndots)
        return found._replace(nameservers=tuple(nameservers) or (_LOCAL,))

    def candidates(self, name: str) -> list[str]:
        """Return the fully qualified names to look up for a name, in order."""
        if name.endswith("."):
            return [name]
        searched = [f"{name}.{domain}" if domain != "." else name for domain in self.searches]
        return [name, *searched] if name.count(".") >= self.ndots else [*searched, name]

    def queries(self, name: str) -> list[str]:
        """Return the fully qualified names to look up in the cluster DNS, in order.

        The result is empty if ``/etc/resolv.conf`` does not list the cluster DNS.
        """
        return self.candidates(name) if NAME_SERVER in self.nameservers else []


def hosts_entry(host: str, session: Session) -> tuple[str, list[str]]:
    """Find a host in ``/etc/hosts``. Returns its IPv4 address and all names of this address.

    Both results are empty if the file does not contain the host.
    """
    for line in session.files.read("/etc/hosts").decode(errors="replace").splitlines():
        address, *names = line.partition("#")[0].split() or [""]
        if host in names and ":" not in address:
            return address, names
    return "", []


def resolve(host: str, session: Session) -> list[str]:
    """Return the IP addresses of a host name, from ``/etc/hosts`` or from DNS; empty if the name does not resolve."""
    if session.network is None:
        raise NotSimulated("network access of this program is not simulated")
    try:
        return [str(ip_address(host))]
    except ValueError:
        pass
    if (address := hosts_entry(host, session)[0]) != "":
        return [address]
    for name in Resolver.of(session.files).queries(host):
        if found := session.network.resolve(name):
            return found
    return []
