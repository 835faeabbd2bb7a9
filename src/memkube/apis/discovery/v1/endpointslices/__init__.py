"""EndpointSlices: some of the addresses behind a service."""
