from .characters import figure as figure
from .characters import mass as mass
from .characters import mo as mo
from .characters import segment_masses as segment_masses
from .library import add_gesture as add_gesture
from .library import gesture as gesture
from .library import motion as motion
from .library import motions as motions
