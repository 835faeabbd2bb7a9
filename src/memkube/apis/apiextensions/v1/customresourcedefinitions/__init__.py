"""CustomResourceDefinitions: kinds that clients bring."""
