"""VolumeAttachments: requests to attach a volume to a node."""
