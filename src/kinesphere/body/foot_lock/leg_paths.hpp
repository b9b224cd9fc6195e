// Both legs and the paths of hips and knees, as NamedTuples of leg_paths.py: see there.
#pragma once

#include "maths/binding.hpp"

namespace kinesphere {

// Both legs as the input has them, left first, in leg lengths and radians.
struct LegModel {
    Floats<3> hip_to_ankle;  // (2, T, 3) from the hip as it was to the ankle's target
    Floats<3> shift;         // (2, T, 3) from the ankle as it was to its target
    Floats<3> hip;           // (2, T, 3)
    Floats<2> hips;          // (T, 3) the joint that carries legs and trunk
    Floats<2> trunk;         // (T, 3) where the trunk begins: the hips roll about this point
    Floats<2> head;          // (T, 3) or the hips, if there is none
    Floats<3> knee;          // (2, T, 3)
    Floats<2> upper;         // (2, T) length of the thigh
    Floats<2> lower;         // (2, T) length of the shin
    Floats<2> flexion;       // (2, T) below zero where bent backward
    Floats<3> forward;       // (2, T, 3) the direction in which a knee moves if bent more, a unit vector
    Bools<1> rigid;          // (2,) whether bones keep their lengths and the foot is a descendant of the shin
    Floats<2> left;          // (T, 3) horizontal, a unit vector
    Floats<2> roll_vector;   // (T, 3) the rotation vector that raises the left hip by one and lowers the right by one
};

// The motion of hips and knees that follows.
struct SolvedLegs {
    Floats<1> rise;     // (T,) leg lengths
    Floats<1> roll;     // (T,) leg lengths that the left hip goes up and the right one down
    Floats<1> sway;     // (T,) leg lengths to the left
    Floats<2> flexion;  // (2, T)
    Floats<1> weight;   // (T,) 1 where hips and knees may move, easing to 0
};

}  // namespace kinesphere

FIELDS(kinesphere::LegModel, &kinesphere::LegModel::hip_to_ankle, &kinesphere::LegModel::shift,
       &kinesphere::LegModel::hip, &kinesphere::LegModel::hips, &kinesphere::LegModel::trunk,
       &kinesphere::LegModel::head, &kinesphere::LegModel::knee, &kinesphere::LegModel::upper,
       &kinesphere::LegModel::lower, &kinesphere::LegModel::flexion, &kinesphere::LegModel::forward,
       &kinesphere::LegModel::rigid, &kinesphere::LegModel::left, &kinesphere::LegModel::roll_vector);
FIELDS(kinesphere::SolvedLegs, &kinesphere::SolvedLegs::rise, &kinesphere::SolvedLegs::roll,
       &kinesphere::SolvedLegs::sway, &kinesphere::SolvedLegs::flexion, &kinesphere::SolvedLegs::weight);
