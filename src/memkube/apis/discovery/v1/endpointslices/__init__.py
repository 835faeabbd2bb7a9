"""EndpointSlices: some of the endpoints of a service."""
