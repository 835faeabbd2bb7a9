"""Events: reports of what happened to objects."""
