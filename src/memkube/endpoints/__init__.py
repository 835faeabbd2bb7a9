"""HTTP: paths, content negotiation, bodies, Status answers. No kind is known here by name."""
