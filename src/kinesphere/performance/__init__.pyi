from .composite import Composite as Composite
from .explanation import Explanation as Explanation
from .property import Family as Family
from .property import MovementProperty as MovementProperty
from .sketch import Sketch as Sketch
