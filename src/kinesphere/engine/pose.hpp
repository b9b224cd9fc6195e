// Limbs at rest and ranges of angles.
#pragma once

#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

// The least and the greatest of an angle, in radians.
struct AngleRange {
    double least, greatest;
};

// A limb in the rest pose.
struct LimbRest {
    Floats<1> upper;  // (3,) offset of the elbow, in metres
    Floats<1> lower;  // (3,) offset of the wrist
    Floats<1> hinge;  // (3,) the elbow's axis
    Floats<2> frame;  // (3, 3) upper bone, hinge and their normal as rows
    double flexion;   // the elbow's angle
};

}  // namespace kinesphere

FIELDS(kinesphere::AngleRange, &kinesphere::AngleRange::least, &kinesphere::AngleRange::greatest);
FIELDS(kinesphere::LimbRest, &kinesphere::LimbRest::upper, &kinesphere::LimbRest::lower, &kinesphere::LimbRest::hinge,
       &kinesphere::LimbRest::frame, &kinesphere::LimbRest::flexion);
