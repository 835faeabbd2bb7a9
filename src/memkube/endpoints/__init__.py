"""HTTP endpoints: paths, content negotiation, bodies and Status responses. No kind is known here by name."""
