from .limb import LimbChain as LimbChain
from .limb import solve_limb_chain as solve_limb_chain
from .limb import swivel_limb as swivel_limb
from .targets import EditablePose as EditablePose
from .targets import reach_targets as reach_targets
from .trunk_assist import assist_with_trunk as assist_with_trunk
