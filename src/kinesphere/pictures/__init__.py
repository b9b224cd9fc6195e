"""Stills and contact sheets of a motion."""
