"""Leader election: of the servers that share a storage, the one that holds a Lease runs the controllers (client-go)."""
