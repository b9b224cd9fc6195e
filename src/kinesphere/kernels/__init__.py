"""Arrays in, arrays out.

Kernels know no Motion and no file. Every function takes arrays with any leading axes, so a crowd is one
call. Quaternions are w x y z and unit; angles are radians.
"""
