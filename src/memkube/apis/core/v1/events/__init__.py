"""Events: reports by components about objects, such as the failure of a container."""
