"""File formats: read and write BVH, glTF, GLB, VRM, NPZ, key points, gestures and role mappings."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
