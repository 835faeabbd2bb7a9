"""How an etcd is reached, and where in it values lie."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self
from urllib.parse import unquote, urlsplit

DEFAULT_PREFIX: Final = "/registry"


@dataclass(frozen=True, slots=True)
class EtcdOptions:
    """What the engine is told. Values of one cluster lie under one prefix."""

    endpoints: tuple[str, ...]
    """``HOST:PORT`` of each member that may be asked."""
    secure: bool = False
    """Whether they are spoken to by TLS."""
    prefix: str = DEFAULT_PREFIX
    """What all keys begin with."""
    ca_file: Path | None = None
    """Who signs the members' certificates; those whom the system trusts, if not set."""
    cert_file: Path | None = None
    """The certificate that is shown to them, with its key."""
    key_file: Path | None = None
    user: str = ""
    """Who asks, where etcd wants to know."""
    password: str = ""
    compaction_seconds: float = 300.0
    """How often the history in etcd is compacted, up to where it was that long before; 0: somebody else does."""

    @classmethod
    def of(
        cls,
        text: str,
        prefix: str = DEFAULT_PREFIX,
        ca_file: Path | None = None,
        cert_file: Path | None = None,
        key_file: Path | None = None,
    ) -> Self:
        """``http://HOST:PORT[,…]`` or ``https://``, with ``USER:PASSWORD@`` in front of the first host if need be.

        Raises ValueError in one line.
        """
        urls = [urlsplit(url) for url in text.split(",")]
        schemes = {url.scheme for url in urls}
        if not schemes <= {"http", "https"} or len(schemes) != 1 or not all(url.hostname for url in urls):
            raise ValueError(f"no address of an etcd is called {text}: http://HOST:PORT or https://HOST:PORT, …")
        if any(url.path.strip("/") or url.query for url in urls):
            raise ValueError(f"the address of an etcd has no path: {text}")
        secure = schemes == {"https"}
        if (ca_file or cert_file or key_file) and not secure:
            raise ValueError("files for TLS are given, and the address of etcd does not begin with https://")
        if (cert_file is None) != (key_file is None):
            raise ValueError("a certificate for etcd needs its key, and a key its certificate")
        if not prefix.startswith("/") or prefix.endswith("/"):
            raise ValueError(f"the prefix of keys in etcd begins with a slash and does not end with one: {prefix}")
        hosts = tuple(f"{url.hostname}:{url.port or 2379}" for url in urls)
        user, password = unquote(urls[0].username or ""), unquote(urls[0].password or "")
        return cls(hosts, secure, prefix, ca_file, cert_file, key_file, user, password)
