"""What scripts share."""
