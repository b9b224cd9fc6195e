from .finding import find_roles as find_roles
from .rolemap import RoleMap as RoleMap
