"""VolumeAttributesClasses: attributes of volumes that can be changed."""
