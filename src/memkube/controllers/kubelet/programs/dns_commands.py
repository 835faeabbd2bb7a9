"""Shell commands that look up names: ``dig`` of BIND, and ``getent hosts`` of glibc."""

from collections.abc import Sequence
from typing import Final

from memkube.controllers.kubelet.programs.program import NotSimulated, Output, Run, Session
from memkube.controllers.kubelet.programs.resolver import NAME_SERVER, Resolver, hosts_entry

_TYPES: Final = ("A", "AAAA", "CNAME", "PTR", "SRV")
_IGNORED: Final = frozenset({"+tcp", "+notcp", "+vc", "+novc"})
_SWITCHES: Final = frozenset({"+short", "+noall", "+answer", "+search"})
_SECONDS_TO_LIVE: Final = 30
_COLUMNS: Final = (24, 32, 40, 48)
"""Columns at which ``dig`` begins the fields of a record, after the owner."""
_TAB: Final = 8
_NO_SERVER: Final = 9
_NOT_FOUND: Final = 2


def dig(arguments: Sequence[str], session: Session) -> Run:
    """Run ``dig`` with one name, and with ``+short`` or ``+noall +answer``. Raises NotSimulated otherwise."""
    switches = {word for word in arguments[1:] if word.startswith("+")} - _IGNORED
    name, record_type = _query([word for word in arguments[1:] if not word.startswith("+")])
    shows_answer = switches & _SWITCHES in ({"+noall", "+answer"}, {"+noall", "+answer", "+search"})
    if not name or not switches <= _SWITCHES or not (shows_answer or "+short" in switches) or session.network is None:
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    resolver = Resolver.of(session.files)
    if NAME_SERVER not in resolver.nameservers:
        server = resolver.nameservers[0]
        yield Output(f";; communications error to {server}#53: timed out\n;; no servers could be reached\n".encode())
        return _NO_SERVER
    for candidate in resolver.candidates(name) if "+search" in switches else [name]:
        records = session.network.records(candidate, record_type)
        if records:
            lines = [record.split(" ", 2)[2] if "+short" in switches else _shown(record) for record in records]
            yield Output("".join(f"{line}\n" for line in lines).encode())
            break
    return 0


def _query(words: Sequence[str]) -> tuple[str, str]:
    """Return the name and the type of a query, which the arguments of ``dig`` name in any order.

    Without a type, it is A. The name is empty if the arguments are not simulated.
    """
    types = [word.upper() for word in words if word.upper() in _TYPES]
    names = [word for word in words if word.upper() not in _TYPES and not word.startswith(("-", "@"))]
    if len(names) != 1 or len(types) > 1 or len(words) != len(names) + len(types):
        return "", ""
    return names[0], types[0] if types else "A"


def _shown(record: str) -> str:
    """Format a record, which is given as ``OWNER TYPE DATA``, as ``dig`` does."""
    owner, record_type, data = record.split(" ", 2)
    line = f"{owner}."
    for column, field in zip(_COLUMNS, (str(_SECONDS_TO_LIVE), "IN", record_type, data), strict=True):
        width = len(line.expandtabs(_TAB))
        line += "\t" * -(-(column - width) // _TAB) if width < column else " "
        line += field
    return line


def get_entries(arguments: Sequence[str], session: Session) -> Run:
    """Run ``getent hosts NAME``, for names in ``/etc/hosts`` and in the cluster DNS."""
    if len(arguments) != 3 or arguments[1] != "hosts" or session.network is None:
        raise NotSimulated(f"{' '.join(arguments)} is not simulated")
    name = arguments[2]
    address, names = hosts_entry(name, session)
    if not address:
        for candidate in Resolver.of(session.files).queries(name):
            records = [record.split(" ", 2) for record in session.network.records(candidate, "A")]
            for owner, record_type, data in records:
                if record_type == "A":
                    yield Output(f"{data:<15} {owner}\n".encode())
            if records:
                return 0
        return _NOT_FOUND
    yield Output(f"{address:<15} {' '.join(names)}\n".encode())
    return 0
