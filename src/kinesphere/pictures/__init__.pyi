from .bone_sheets import bone_sheet as bone_sheet
from .canvas import save_picture as save_picture
from .films import film as film
from .films import still as still
from .phrase_chart import phrase_chart as phrase_chart
from .surface_sheets import sheet as sheet
from .trails import Trails as Trails
