"""Validates manifests by creating them in an empty cluster, in the order of their dependencies."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from memkube.admission.available import DEFAULT_PLUGINS
from memkube.cluster.creation_order import JUDGES, creation_rank
from memkube.cluster.manifests import Manifest, in_creation_order
from memkube.manifests.complaints import Complaints, of_invalid_document
from memkube.manifests.creation import Creation, EmptyCluster, NoKind, empty_cluster, named_namespace
from memkube.manifests.findings import Finding, Report, subject_of
from memkube.manifests.sources import Source

_DEFINITION: Final = ("apiextensions.k8s.io", "CustomResourceDefinition")
_NAMESPACE: Final = ("", "Namespace")
_POLICIES: Final = frozenset(
    ("admissionregistration.k8s.io", f"{sort}AdmissionPolicy{part}")
    for sort in ("Mutating", "Validating")
    for part in ("", "Binding")
)


@dataclass(frozen=True, slots=True)
class Choices:
    """Options of the command ``memkube validate``."""

    namespace: str = "default"
    """Namespace of objects whose manifests have none."""
    make_namespaces: bool = True
    """True to assume that namespaces exist if no manifest defines them."""
    plugins: tuple[str, ...] = DEFAULT_PLUGINS
    """Names of the admission plugins that run; the default plugins of kube-apiserver if not given."""
    skip_unknown_kinds: bool = False
    """True to skip objects whose kind has no definition."""


async def validate(sources: Iterable[Source], choices: Choices) -> Report:
    """Create every manifest once in an empty cluster, and report the server's findings.

    The objects are created in this order:

    1. CustomResourceDefinitions, so that custom kinds are served;
    2. namespaces;
    3. parameters of admission policies;
    4. admission policies, which apply to all following objects;
    5. all other objects, each after those to which it refers;
    6. quotas, webhook configurations and APIServices, so that they do not affect the other objects.

    If every cluster has an object already, such as the namespace ``default``, its manifest is applied to it. `choices`
    are the options of the command.
    """
    report = Report()
    manifests: list[Manifest] = []
    files: dict[int, str] = {}
    for source in sources:
        report.files.append(source.file)
        if source.refusal is not None:
            report.findings.append(source.refusal)
            continue
        for found in source.found:
            if isinstance(found, Manifest):
                manifests.append(found)
                files[id(found)] = source.file
            else:
                report.findings.append(of_invalid_document(source.file, found))
                report.manifests += 1
                report.wrong += 1
    async with empty_cluster(choices.plugins) as cluster:
        await _Validation(cluster, choices, report, files).run(_in_order_of_validation(manifests))
        report.made_namespaces += cluster.made_namespaces
    return report


class _Validation:
    def __init__(self, cluster: EmptyCluster, choices: Choices, report: Report, files: dict[int, str]) -> None:
        self._cluster = cluster
        self._choices = choices
        self._report = report
        self._files = files
        self._wrong: set[int] = set()
        self._seen: dict[tuple[str, ...], Manifest] = {}
        self._refused_kinds: dict[tuple[str, str], Manifest] = {}

    async def run(self, manifests: Sequence[Manifest]) -> None:
        """Create `manifests` in the given order, in which all CustomResourceDefinitions must come first.

        The other manifests are created once the kinds of these definitions are served.
        """
        definitions = [m for m in manifests if _is_definition(m)]
        for manifest in definitions:
            await self._check(manifest)
        for manifest in definitions:
            await self._wait(manifest)
        for manifest in manifests[len(definitions) :]:
            await self._check(manifest)

    async def _check(self, manifest: Manifest) -> None:
        report = self._report
        report.manifests += 1
        report.judges += _is_created_last(manifest)
        namespace = await self._prepared(manifest)
        creation = await self._cluster.create(manifest, self._choices.namespace)
        complaints = Complaints(self._file(manifest), manifest, namespace)
        if isinstance(creation.error, NoKind):
            if self._choices.skip_unknown_kinds and creation.error.is_custom:
                report.skipped += 1
                return
            self._add(manifest, [self._of_no_kind(complaints, creation.error)])
            return
        findings = [*complaints.of_duplicates()]
        creation = await self._handle_existing(manifest, creation, findings, complaints)
        findings += complaints.of(creation)
        self._add(manifest, findings)
        if _is_definition(manifest) and creation.stored is None:
            self._refused_kinds[_defined_kind(manifest)] = manifest

    async def _prepared(self, manifest: Manifest) -> str:
        """Return the namespace of the object in `manifest`; create the namespace first if the options say so."""
        try:
            resource = self._cluster.resource(manifest.api_version, manifest.kind)
        except NoKind:
            return named_namespace(manifest)
        if not resource.namespaced:
            return ""
        namespace = named_namespace(manifest) or self._choices.namespace
        await self._cluster.prepare(namespace, make=self._choices.make_namespaces)
        return namespace

    async def _handle_existing(
        self, manifest: Manifest, creation: Creation, findings: list[Finding], complaints: Complaints
    ) -> Creation:
        """Handle the case that the object of `manifest` already exists. In all other cases, return `creation`.

        `creation` is the result of the attempt to create the object. If an earlier manifest defines the same object,
        add a finding of `complaints` to `findings`, and return `creation` without the error. Otherwise, every new
        cluster contains the object: return the result of applying the manifest to it. But if the manifest has unknown
        or duplicate fields, do not apply it, and return `creation` without the error.
        """
        subject = subject_of(manifest, creation.namespace)
        taken = creation.error is not None and getattr(creation.error, "reason", "") == "AlreadyExists"
        resource = creation.resource
        named = isinstance(manifest.metadata.get("name"), str) and resource is not None and resource.keeps_objects
        key = (str(resource.stored_as.group_resource) if resource else "", subject.namespace, subject.name)
        first = self._seen.setdefault(key, manifest) if named else manifest
        if first is not manifest:
            message = f"{subject} is defined twice: first in {self._where(first)}"
            findings.append(complaints.finding("error", "Duplicate", message, "metadata.name"))
            if taken:
                creation.error = None
        elif taken and not creation.unfit:
            return await self._cluster.apply(manifest, creation)
        elif taken:
            creation.error = None
        return creation

    async def _wait(self, definition: Manifest) -> None:
        if self._refused_kinds.get(_defined_kind(definition)) is definition:
            return
        why = await self._cluster.served(str(definition.metadata.get("name")))
        if why:
            complaints = Complaints(self._file(definition), definition)
            self._add(definition, [complaints.finding("error", "NotEstablished", why, "spec.names")])

    def _of_no_kind(self, complaints: Complaints, error: NoKind) -> Finding:
        refused = self._refused_kinds.get((error.kind.group, error.kind.kind))
        if refused is None:
            return complaints.of_kind(error)
        message = f"{error}: its definition is refused, in {self._where(refused)}"
        return complaints.finding("error", "NoMatch", message, "kind")

    def _add(self, manifest: Manifest, findings: Sequence[Finding]) -> None:
        self._report.findings += findings
        if id(manifest) not in self._wrong and any(finding.level == "error" for finding in findings):
            self._wrong.add(id(manifest))
            self._report.wrong += 1

    def _file(self, manifest: Manifest) -> str:
        return self._files[id(manifest)]

    def _where(self, manifest: Manifest) -> str:
        line = manifest.text.position("kind", within=manifest.path).line if manifest.text else 1
        return f"{self._file(manifest)}:{line}"


def _in_order_of_validation(manifests: Iterable[Manifest]) -> list[Manifest]:
    """Sort manifests: definitions and namespaces, parameters of admission policies, policies, then others."""
    ordered = in_creation_order(manifests)
    parameters = {parameter for manifest in ordered if (parameter := _parameter_kind(manifest))}

    def rank(manifest: Manifest) -> int:
        group, kind = manifest.api_version.rpartition("/")[0], manifest.kind
        if (group, kind) in (_DEFINITION, _NAMESPACE):
            return 0
        if (manifest.api_version, kind) in parameters:
            return 1
        return 2 if (group, kind) in _POLICIES else 3

    return sorted(ordered, key=rank)


def _parameter_kind(manifest: Manifest) -> tuple[str, str] | None:
    """Return the apiVersion and kind of an admission policy's parameters.

    Return None for a policy without parameters, and for an object of another kind.
    """
    if (manifest.api_version.rpartition("/")[0], manifest.kind) not in _POLICIES:
        return None
    spec = manifest.document.get("spec")
    found = spec.get("paramKind") if isinstance(spec, dict) else None
    return (str(found.get("apiVersion")), str(found.get("kind"))) if isinstance(found, dict) else None


def _is_created_last(manifest: Manifest) -> bool:
    """True for quotas, webhook configurations and APIServices.

    They are created after all other objects, so that they do not affect the creation of those.
    """
    group = manifest.api_version.rpartition("/")[0]
    return creation_rank(manifest.api_version, manifest.kind) >= JUDGES and (group, manifest.kind) not in _POLICIES


def _is_definition(manifest: Manifest) -> bool:
    return (manifest.api_version.rpartition("/")[0], manifest.kind) == _DEFINITION


def _defined_kind(definition: Manifest) -> tuple[str, str]:
    """Return the group and kind that a CustomResourceDefinition defines, as strings.

    A definition without `spec` has the group ""; any other missing value is "None".
    """
    spec = definition.document.get("spec")
    names = spec.get("names") if isinstance(spec, dict) else None
    kind = names.get("kind") if isinstance(names, dict) else None
    return str(spec.get("group")) if isinstance(spec, dict) else "", str(kind)
