"""The DaemonSet controller. Only `controller.py` uses the runtime's informers and queues."""
