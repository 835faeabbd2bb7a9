"""HTTP endpoints: paths, content negotiation, bodies and Status responses. Nothing here may depend on a single kind."""
