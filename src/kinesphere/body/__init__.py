"""Bodies of any humanoid: anatomy, ground, contacts, foot lock, limits, mass, reach, retargeting, collision."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
