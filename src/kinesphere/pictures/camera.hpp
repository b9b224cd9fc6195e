// A perspective projection, as loops take it from camera.py.
#pragma once

#include "maths/binding.hpp"

namespace kinesphere {

struct Projection {
    Floats<2> axes;     // (3, 3) right, up and back, unit vectors in the world
    Floats<1> eye;      // (3,) position of the camera
    double focal;       // samples on the picture for a slope of 1
    double x, y;        // where the optical axis meets the picture, in samples from the left and from the top
    double near_plane;  // its depth, metres
};

}  // namespace kinesphere

FIELDS(kinesphere::Projection, &kinesphere::Projection::axes, &kinesphere::Projection::eye,
       &kinesphere::Projection::focal, &kinesphere::Projection::x, &kinesphere::Projection::y,
       &kinesphere::Projection::near_plane);
