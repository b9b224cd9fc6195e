from .contact_sheet import bone_sheet as bone_sheet
from .contact_sheet import save_picture as save_picture
from .films import film as film
from .films import still as still
from .sheets import sheet as sheet
from .trails import Trails as Trails
