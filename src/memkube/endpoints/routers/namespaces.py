"""Routes of the subresources of namespaces.

Every other path below a namespace's name belongs to resources in that namespace.
"""

from fastapi import APIRouter

from memkube.endpoints.routers.api_route import ResourceRoute
from memkube.endpoints.routers.objects import get, patch, update

router = APIRouter(route_class=ResourceRoute)
router.get("/namespaces/{name}/status", name="get")(get)
router.put("/namespaces/{name}/status", name="update")(update)
router.patch("/namespaces/{name}/status", name="patch")(patch)
router.put("/namespaces/{name}/finalize", name="update")(update)
