from .batch import Batch as Batch
from .clocks import StrokeClock as StrokeClock
from .generation import body_clock as body_clock
from .generation import generate as generate
from .generation import generate_gesture as generate_gesture
from .generation import referents_of as referents_of
from .phrases import figure_body as figure_body
from .phrases import phrase_of as phrase_of
