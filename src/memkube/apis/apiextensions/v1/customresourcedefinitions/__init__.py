"""CustomResourceDefinitions: additional resources that clients define."""
