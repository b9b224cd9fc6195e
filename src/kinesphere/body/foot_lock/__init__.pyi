from .lock import lock_feet as lock_feet
from .lock import solve_foot_lock as solve_foot_lock
