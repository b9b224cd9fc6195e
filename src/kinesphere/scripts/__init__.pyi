from .action import Action as Action
from .checks import check_script as check_script
from .scheduling import Schedule as Schedule
from .scheduling import schedule as schedule
from .script_file import Script as Script
from .script_file import action_as_script as action_as_script
from .script_file import load_script as load_script
from .script_phrase import script_phrase as script_phrase
