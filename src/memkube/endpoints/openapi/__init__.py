"""OpenAPI documents, made from the types and the resources; no kind is known here.

All functions are pure; the routers cache and serve the documents.
"""

from memkube.endpoints.openapi.descriptions import ResourceDescription, SubresourceDescription, openapi_name
from memkube.endpoints.openapi.protobuf import v2_protobuf
from memkube.endpoints.openapi.v2 import v2_document
from memkube.endpoints.openapi.v3 import content_hash, v3_document, v3_documents, v3_index, v3_root_documents

__all__ = [
    "ResourceDescription",
    "SubresourceDescription",
    "content_hash",
    "openapi_name",
    "v2_document",
    "v2_protobuf",
    "v3_document",
    "v3_documents",
    "v3_index",
    "v3_root_documents",
]
