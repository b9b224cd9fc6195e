"""Motion generation: from phrases (keys, curves, strokes, overlays) to motion, on any body, at any rate."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
