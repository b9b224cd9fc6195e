from .batch import Batch as Batch
from .clocks import StrokeClock as StrokeClock
from .generation import generate as generate
from .generation import generate_gesture as generate_gesture
from .manner import ArmManner as ArmManner
from .manner import Manner as Manner
