from .calibration import Calibration as Calibration
from .calibration import calibrate as calibrate
from .pipeline import retarget as retarget
