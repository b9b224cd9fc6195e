from .explanation import Explanation as Explanation
from .property import Family as Family
from .property import MovementProperty as MovementProperty
