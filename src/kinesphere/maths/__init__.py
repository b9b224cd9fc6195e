"""Mathematics over arrays: rotations, kinematics, filters, splines, dynamic time warping.

Functions take arrays with any leading axes and know no motion, no file and no body. Quaternions are w x y z and unit;
angles are radians.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
