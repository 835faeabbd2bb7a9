"""Leader election by a Lease: one of the servers that share a storage runs the controllers (client-go)."""
