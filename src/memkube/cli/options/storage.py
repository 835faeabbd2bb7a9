"""Options for where objects are stored (in memory, SQLite or etcd), how durably, and how etcd is reached."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memkube.cli.commands import PATH
from memkube.cli.options.groups import option
from memkube.server.settings import StorageOptions


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Options that select the storage engine and its durability."""

    storage: str = option(
        "Storage: memory; or sqlite:PATH or etcd:http://HOST:PORT,… for objects that outlive the server.",
        default="memory",
    )
    durability: str = option(
        "strict: flush each write to disk before answering it; relaxed: let the operating system flush it later.",
        default="strict",
    )

    def settings(self, etcd: Mapping[str, Any] | None = None) -> StorageOptions:
        """Return the storage settings that these options select.

        `etcd` has the options of the connection to etcd for which the user gave a value. Its keys are the names of the
        fields of EtcdOptions in `memkube.storage.etcd.options`.

        Raises ValueError for an unknown engine or durability, and for invalid options.
        """
        return StorageOptions.of(self.storage, self.durability, etcd)


@dataclass(frozen=True, slots=True)
class EtcdOptions:
    """Options of the connection to etcd."""

    etcd_prefix: str = option("Prefix of all keys in etcd; /registry if empty.", default="")
    etcd_cafile: Path | None = option("File with the CA certificates of etcd, in PEM.", type=PATH)
    etcd_certfile: Path | None = option("File with the client certificate for etcd, in PEM.", type=PATH)
    etcd_keyfile: Path | None = option("File with the key of the client certificate, in PEM.", type=PATH)

    def given(self) -> dict[str, Any]:
        """Return the options that the user gave, by the name of the field in EtcdOptions (`memkube.storage.etcd`)."""
        options = {
            "prefix": self.etcd_prefix,
            "ca_file": self.etcd_cafile,
            "cert_file": self.etcd_certfile,
            "key_file": self.etcd_keyfile,
        }
        return {name: value for name, value in options.items() if value}
