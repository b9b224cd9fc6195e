"""Gesture synthesis: generate motion from key points, strokes, channels and style parameters (a manner)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
