"""Body-shape solver: poses over time that meet hard constraints and otherwise stay as near as they can.

``solve_shape`` is in ``solve``; what may be asked for is in ``constraints``; ``balance`` reports and plans steps.
"""
