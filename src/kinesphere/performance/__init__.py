"""Performance: movement properties of shape, transition and timing, sketches of characters, scripts of actions."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
