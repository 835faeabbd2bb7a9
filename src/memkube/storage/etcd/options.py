"""Options of the etcd engine: addresses, credentials and key prefix."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self
from urllib.parse import unquote, urlsplit

DEFAULT_PREFIX: Final = "/registry"


@dataclass(frozen=True, slots=True)
class EtcdOptions:
    """Options of the etcd engine. Servers with the same key prefix share their objects: they form one cluster."""

    endpoints: tuple[str, ...]
    """``HOST:PORT`` of each member of the etcd cluster."""
    secure: bool = False
    """True to connect to etcd over TLS."""
    prefix: str = DEFAULT_PREFIX
    """Prefix of all keys in etcd that the engine reads or writes."""
    ca_file: Path | None = None
    """File with the CA certificates by which members are verified; None for the system's CA certificates."""
    cert_file: Path | None = None
    """File with the client certificate, which requires `key_file`; None for no client certificate."""
    key_file: Path | None = None
    user: str = ""
    """User name in etcd; empty if etcd does not require authentication."""
    password: str = ""
    compaction_seconds: float = 300.0
    """Seconds between compactions of etcd's history; 0 if another program compacts it."""

    @classmethod
    def of(
        cls,
        text: str,
        prefix: str = DEFAULT_PREFIX,
        ca_file: Path | None = None,
        cert_file: Path | None = None,
        key_file: Path | None = None,
    ) -> Self:
        """Parse `text`, an address ``http://[USER:PASSWORD@]HOST:PORT[,http://HOST:PORT…]`` or the same with ``https``.

        The other arguments are the values of the fields with these names. Raises ValueError with a one-line message if
        an option is invalid.
        """
        urls = [urlsplit(url) for url in text.split(",")]
        schemes = {url.scheme for url in urls}
        if not schemes <= {"http", "https"} or len(schemes) != 1 or not all(url.hostname for url in urls):
            raise ValueError(
                f"invalid address of etcd: {text}: expected http://HOST:PORT or https://HOST:PORT, separated by commas"
            )
        if any(url.path.strip("/") or url.query for url in urls):
            raise ValueError(f"the address of etcd must not have a path: {text}")
        secure = schemes == {"https"}
        if (ca_file or cert_file or key_file) and not secure:
            raise ValueError("TLS files for etcd need an address that begins with https://")
        if (cert_file is None) != (key_file is None):
            raise ValueError("the client certificate for etcd and its key must be given together")
        if not prefix.startswith("/") or prefix.endswith("/"):
            raise ValueError(f"the prefix of keys in etcd must begin with a slash and not end with one: {prefix}")
        hosts = tuple(f"{url.hostname}:{url.port or 2379}" for url in urls)
        user, password = unquote(urls[0].username or ""), unquote(urls[0].password or "")
        return cls(hosts, secure, prefix, ca_file, cert_file, key_file, user, password)
