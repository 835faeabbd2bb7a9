"""Checks of ``--runtime-config``, which enables and disables versions of API groups (apiserver ``resourceconfig``)."""

from collections.abc import Iterable, Mapping
from typing import Final

_SETS: Final = {"api/all": True, "api/ga": True, "api/beta": False, "api/alpha": False}
"""Names for sets of API versions, each with True if memkube serves the versions of the set."""
_PARTS: Final = (2, 3)


def runtime_config_errors(given: Iterable[str], served: Mapping[str, frozenset[str]]) -> list[str]:
    """Return error messages for `given`, the values of ``--runtime-config``.

    `served` has the served versions of each API group, with "" for the core group. memkube serves all stable versions
    and no others, so a value may only enable stable versions and disable others. ``api/all=true`` and ``api/all=false``
    are both errors, because memkube can serve neither all versions nor none.
    """
    errors = []
    for entry in (entry for value in given for entry in value.split(",") if entry):
        key, _, text = entry.partition("=")
        key, text = key.strip(), text.strip() or "true"
        if key == "api/legacy":
            continue
        parts = ("", *key.removeprefix("api/").split("/")) if _is_core(key) else tuple(key.split("/"))
        if text not in ("true", "false"):
            errors.append(f"invalid value {key}={text}")
        elif key in _SETS:
            # memkube serves only some of kube-apiserver's API versions, so it can enable neither all (api/all=true) nor
            # none (api/all=false) of them.
            is_so = _SETS[key] == (text == "true") and key != "api/all"
            errors += [] if is_so else [_not_served(f"{key}={text}")]
        elif len(parts) not in _PARTS:
            errors.append(f"runtime-config invalid key {key}")
        elif (parts[1] in served.get(parts[0], ())) != (text == "true"):
            errors.append(_not_served(f"{key}={text}"))
    return errors


def _is_core(key: str) -> bool:
    return key in ("v1", "api/v1") or key.startswith(("v1/", "api/v1/"))


def _not_served(entry: str) -> str:
    return f"memkube does not support --runtime-config={entry}; it serves the stable versions of its groups"
