"""Effort and Shape: how a movement is done, as dials."""
