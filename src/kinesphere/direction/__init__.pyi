from .express import Express as Express
from .words import Word as Word
from .words import Words as Words
from .words import add_words as add_words
from .words import load_words as load_words
from .words import vocabulary as vocabulary
