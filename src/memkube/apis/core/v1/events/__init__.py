"""Events: reports by controllers about objects, such as the failure of a container."""
