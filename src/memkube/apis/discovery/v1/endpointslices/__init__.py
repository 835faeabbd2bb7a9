"""EndpointSlices: groups of the endpoints of a service."""
