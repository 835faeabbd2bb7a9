"""What every controller is built on: client, informers, work queues and the event recorder (client-go's ``tools``).

Nothing here may know a single controller.
"""
