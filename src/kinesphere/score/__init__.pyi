from .document import load_score as load_score
from .document import save_score as save_score
from .rendering import perform as perform
from .rendering import render as render
from .rendering import render_all as render_all
from .score import Express as Express
from .score import Score as Score
