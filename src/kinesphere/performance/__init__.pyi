from .property import MovementProperty as MovementProperty
