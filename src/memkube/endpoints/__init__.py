"""HTTP endpoints: paths, content negotiation, bodies and Status responses. Modules contain no code for single kinds."""
