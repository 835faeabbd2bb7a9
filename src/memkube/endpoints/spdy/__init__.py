"""SPDY/3.1, as far as ``kubectl`` speaks it: streams over one connection. No input or output of its own."""
