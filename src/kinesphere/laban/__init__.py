"""Laban Effort and Shape: dials, their models, and what they make of a gesture's strokes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
