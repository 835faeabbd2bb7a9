"""Makes room for important pods (``plugins/defaultpreemption``, ``framework/preemption``)."""
