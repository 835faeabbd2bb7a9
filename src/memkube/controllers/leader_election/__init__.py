"""Which of several servers on one storage runs the controllers, decided by a Lease (client-go ``leaderelection``)."""
