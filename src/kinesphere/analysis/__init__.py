"""Motion analysis: strokes, accents, smoothness, and an observer that codes Effort from joint positions."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
