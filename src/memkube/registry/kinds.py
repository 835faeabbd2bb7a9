"""Whether an object may be taken for one of the expected kind (apimachinery's scheme and its conversions)."""

from memkube.registry.catalog import Catalog, KindName

_SCHEME = 'in scheme "pkg/api/legacyscheme/scheme.go:30"'


class WrongKind(Exception):
    """The object says that it is something else; the message is the reference's."""

    def __init__(self, found: KindName, message: str) -> None:
        super().__init__(message)
        self.found = found
        self.message = message


def found_kind(expected: KindName, api_version: str, kind: str, catalog: Catalog) -> KindName:
    """The kind that an object names, the expected one where it names none; versions may differ. Raises WrongKind."""
    found = KindName.of(api_version or expected.api_version, kind or expected.kind)
    if found == expected:
        return found
    if not catalog.knows(found):
        where = found.api_version
        raise WrongKind(found, f'no kind "{found.kind}" is registered for version "{where}" {_SCHEME}')
    if found.internal_name != expected.internal_name:
        converting = f"converting ({found.version}.{found.kind}) to ({expected.internal_name})"
        raise WrongKind(found, f"{converting}: unknown conversion")
    return found
