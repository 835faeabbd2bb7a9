"""SPDY/3.1 as ``kubectl`` uses it: streams over one connection. Does no input or output of its own."""
