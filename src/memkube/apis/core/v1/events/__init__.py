"""Events: reports on what happened to objects."""
