"""Retargeting: put a motion on a body with other proportions, rest pose and axes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
