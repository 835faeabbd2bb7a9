"""CustomResourceDefinitions: kinds that clients define."""
