"""Motion data: skeletons, motions, characters, gestures, time maps, humanoid roles."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
