"""Humanoid roles, found by names and by shape: ``find_roles(skeleton) -> RoleMap``."""

from kinesphere.motion.roles.finding import find_roles
from kinesphere.motion.roles.rolemap import RoleMap

__all__ = ["RoleMap", "find_roles"]
