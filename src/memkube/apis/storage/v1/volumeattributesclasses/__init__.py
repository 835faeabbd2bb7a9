"""VolumeAttributesClasses: mutable attributes of volumes."""
