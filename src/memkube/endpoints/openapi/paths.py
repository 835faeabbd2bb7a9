"""The paths of a group and version with their operations, as OpenAPI v3."""

from collections.abc import Iterator

from memkube.apimachinery.meta.v1.api_object import ListMeta
from memkube.apimachinery.meta.v1.api_resources import APIResourceList
from memkube.apimachinery.meta.v1.status import WatchEvent
from memkube.endpoints.openapi import operations as op
from memkube.endpoints.openapi.components import Components, Json
from memkube.endpoints.openapi.custom import custom_paths
from memkube.endpoints.openapi.descriptions import (
    ResourceDescription,
    SubresourceDescription,
    kind_name,
    operation_infix,
    root_path,
    tag,
)
from memkube.endpoints.openapi.operations import option_parameters, path_parameters, query_parameters


def resource_list_path(group: str, version: str, components: Components) -> tuple[str, Json]:
    """Return the discovery path of a group and version, such as ``/apis/apps/v1/``, with its Path Item Object.

    Schemas to which the Path Item Object refers are added to `components`.
    """
    content = {"schema": components.refer_to(APIResourceList)}
    get = {
        "tags": [tag(group, version)],
        "description": "Lists the resources of the group and version.",
        "operationId": f"get{operation_infix(group, version)}APIResources",
        "responses": {
            "200": {"description": "OK", "content": dict.fromkeys(op.MEDIA, content)},
            "401": {"description": "Unauthorized"},
        },
    }
    return f"{root_path(group, version)}/", {"get": get}


def resource_paths(resource: ResourceDescription, components: Components) -> Iterator[tuple[str, Json]]:
    """Return the paths of a resource and its subresources, each with its Path Item Object.

    Schemas to which the Path Item Objects refer are added to `components`.
    """
    if resource.is_custom:
        yield from custom_paths(resource, components)
        return
    paths = _ResourcePaths(resource, components)
    yield from paths.collections()
    if {"get", "update", "patch", "delete"} & set(resource.verbs):
        yield paths.named()
    yield from paths.watches()
    for subresource in resource.subresources:
        yield from paths.subresource(subresource)


class _ResourcePaths:
    def __init__(self, resource: ResourceDescription, components: Components) -> None:
        self.resource = resource
        self.components = components
        self.name = kind_name(resource.group, resource.version, resource.kind, resource.schema)
        self.schema = components.refer(self.name, resource.schema)
        components.declare_kind(self.name, resource.group, resource.version, resource.kind)
        self.root = root_path(resource.group, resource.version)
        scope = "/namespaces/{namespace}" if resource.namespaced else ""
        self.collection = f"{scope}/{resource.plural}"
        self.scope = ("namespace",) if resource.namespaced else ()
        self.infix = f"Namespaced{resource.kind}" if resource.namespaced else resource.kind

    def subject(self, identifier: str) -> op.Subject:
        kind = {"group": self.resource.group, "version": self.resource.version, "kind": self.resource.kind}
        return op.Subject(self.resource.group, self.resource.version, kind, identifier)

    def common(self, *names: str) -> list[Json]:
        return [*path_parameters(names), *query_parameters(["pretty"])]

    def item(self, operations: list[op.Operation], subject: op.Subject, common: list[Json]) -> Json:
        if not self.resource.has_protobuf:
            operations = [op.without_protobuf(operation) for operation in operations]
        return op.path_item(operations, subject, common)

    def collections(self) -> Iterator[tuple[str, Json]]:
        verbs = self.resource.verbs
        operations = []
        if "list" in verbs:
            operations.append(op.list_or_watch(self.list_schema()))
        if "create" in verbs:
            operations.append(op.create(self.schema))
        if "deletecollection" in verbs:
            operations.append(op.delete_collection(self.components))
        if operations:
            item = self.item(operations, self.subject(self.infix), self.common(*self.scope))
            yield self.root + self.collection, item
        if "list" in verbs and self.resource.namespaced:
            everywhere = op.list_or_watch(self.list_schema(), suffix="ForAllNamespaces")
            item = self.item([everywhere], self.subject(self.resource.kind), self.common())
            yield f"{self.root}/{self.resource.plural}", item

    def named(self) -> tuple[str, Json]:
        verbs = self.resource.verbs
        operations = []
        if "get" in verbs:
            operations.append(op.get(self.schema))
        if "update" in verbs:
            operations.append(op.replace(self.schema))
        if "delete" in verbs:
            answer = self.schema if self.resource.delete_answers_object else None
            operations.append(op.delete(self.components, answer))
        if "patch" in verbs:
            operations.append(op.patch(self.schema, self.components))
        item = self.item(operations, self.subject(self.infix), self.common("name", *self.scope))
        return f"{self.root}{self.collection}/{{name}}", item

    def watches(self) -> Iterator[tuple[str, Json]]:
        if "watch" not in self.resource.verbs:
            return
        event = self.components.refer_to(WatchEvent)
        listing = op.watch(event, action="watchlist", suffix="List")
        subject = self.subject(self.infix)
        watched = f"{self.root}/watch"
        yield watched + self.collection, self.item([listing], subject, self.common(*self.scope))
        path_item = self.item([op.watch(event, action="watch")], subject, self.common("name", *self.scope))
        yield f"{watched}{self.collection}/{{name}}", path_item
        if self.resource.namespaced:
            everywhere = op.watch(event, action="watchlist", suffix="ListForAllNamespaces")
            item = self.item([everywhere], self.subject(self.resource.kind), self.common())
            yield f"{watched}/{self.resource.plural}", item

    def subresource(self, description: SubresourceDescription) -> Iterator[tuple[str, Json]]:
        path = f"{self.root}{self.collection}/{{name}}/{description.name}"
        kind = {"group": description.group, "version": description.version, "kind": description.kind}
        identifier = self.infix + description.name[:1].upper() + description.name[1:]
        subject = op.Subject(
            self.resource.group, self.resource.version, kind, identifier, self.resource.kind, description.name
        )
        query = option_parameters(description.query) if description.query else []
        if description.connect_methods:
            common = path_parameters(["name", *self.scope])
            connects = [op.connect(method, query) for method in description.connect_methods]
            yield path, self.item(connects, subject, common)
            if description.has_path:
                connects = [op.connect(method, query, suffix="WithPath") for method in description.connect_methods]
                yield f"{path}/{{path}}", self.item(connects, subject, [*common, *path_parameters(["path"])])
            return
        operations = list(self.subresource_operations(description, query))
        yield path, self.item(operations, subject, self.common("name", *self.scope))

    def subresource_operations(self, description: SubresourceDescription, query: list[Json]) -> Iterator[op.Operation]:
        if description.schema is None:
            yield op.get_text(query)
            return
        name = kind_name(description.group, description.version, description.kind, description.schema)
        schema = self.components.refer(name, description.schema)
        self.components.declare_kind(name, description.group, description.version, description.kind)
        if "get" in description.verbs:
            yield op.get(schema)
        if "update" in description.verbs:
            yield op.replace(schema)
        if "create" in description.verbs:
            yield op.create(schema)
        if "patch" in description.verbs:
            yield op.patch(schema, self.components)

    def list_schema(self) -> Json:
        """Return a ``$ref`` to the schema of the kind's list, such as PodList."""
        resource, name = self.resource, f"{self.name}List"
        properties = {
            "apiVersion": {"description": "Group and version that the list is written in.", "type": "string"},
            "items": {
                "description": "Objects of the list.",
                "type": "array",
                "items": self.schema,
            },
            "kind": {"description": "Kind of the list.", "type": "string"},
            "metadata": {
                "description": "Version of the list and token for what follows.",
                "default": {},
                "allOf": [self.components.refer_to(ListMeta)],
            },
        }
        written = {
            "description": f"A list of {resource.plural}.",
            "type": "object",
            "required": ["items"],
            "properties": properties,
        }
        reference = self.components.add(name, written)
        self.components.declare_kind(name, resource.group, resource.version, f"{resource.kind}List")
        return reference
