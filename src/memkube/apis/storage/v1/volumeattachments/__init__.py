"""VolumeAttachments: which volume is to be attached to which node."""
