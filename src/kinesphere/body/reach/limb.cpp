// Limbs of recorded poses bent to targets, frame by frame: see limb.py.
#include "body/reach/limb.hpp"

namespace kinesphere {

// World rotations (T, 4) of upper joints, positions (T, 3, 3) of all three joints, targets (T, 3), and the distances
// (T,) to which limbs go.
struct LimbFrames {
    Floats<2> rotations;
    Floats<3> joints;
    Floats<2> targets;
    Floats<1> distances;
};

static LimbSolution solution_at(const LimbChain& limb, const LimbFrames& given, Index t) {
    return {limb,
            read_quaternion(given.rotations.at(t)),
            read_vector(given.joints.at(t, 0)),
            read_vector(given.joints.at(t, 1)),
            read_vector(given.joints.at(t, 2)),
            read_vector(given.targets.at(t)),
            given.distances(t)};
}

// Angles (T,) by which limbs are on the wrong side that were bent backward.
static void backward_angles(const LimbChain& limb, const LimbFrames& given, FloatsOut<1> out) {
    for (Index t = 0; t < out.shape[0]; ++t) out(t) = solution_at(limb, given, t).backward();
}

// World rotations (T, 4) that bend limbs, with swivels and such angles (T,), and where their ends come to (T, 3).
static void bend_limbs(const LimbChain& limb, const LimbFrames& given, Floats<1> swivel, Floats<1> backward,
                       FloatsOut<2> upper, FloatsOut<2> lower, FloatsOut<2> end) {
    for (Index t = 0; t < end.shape[0]; ++t) {
        const BentLimb bent = solution_at(limb, given, t).bent(swivel(t), backward(t));
        write_quaternion(upper.at(t), bent.upper);
        write_quaternion(lower.at(t), bent.lower);
        write_vector(end.at(t), bent.end);
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::LimbFrames, &kinesphere::LimbFrames::rotations, &kinesphere::LimbFrames::joints,
       &kinesphere::LimbFrames::targets, &kinesphere::LimbFrames::distances);

namespace kinesphere {

KERNELS(limb) { return {kernel<backward_angles>("backward_angles"), kernel<bend_limbs>("bend_limbs")}; }

}  // namespace kinesphere
