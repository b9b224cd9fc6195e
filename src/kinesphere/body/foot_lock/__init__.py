"""Foot locking: remove sliding while a foot is in contact with the ground.

``lock`` is the whole of it: ``foot_paths`` moves ankles so that contact points stay on their anchors, ``leg_paths``
solves hips and knees that follow along time, ``legs`` solves the bones between them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
