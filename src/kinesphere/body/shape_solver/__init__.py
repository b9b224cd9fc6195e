"""Body-shape solver: poses over time that meet hard constraints and otherwise stay as near as they can.

``solve_shape`` is in ``solve``; what may be asked for is in ``constraints``; ``balance`` says
where a centre of mass leaves its support, and plans the step that brings the support below it.
"""
