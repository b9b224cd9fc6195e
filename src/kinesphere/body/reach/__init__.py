"""Inverse kinematics of limbs on recorded poses: bring a hand, a foot, the head or the hips somewhere."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
