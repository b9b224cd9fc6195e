// Loops over limbs: analytic two-bone inverse kinematics of many targets.
#include "maths/two_bone.hpp"

#include "maths/binding.hpp"

namespace kinesphere {

// Limbs that reach targets (N, 3) from the origin at swivels (N,). `towards` and `home` (N or 1, 3) are of any length,
// and not parallel; `frame (3, 3)` has the upper bone, the hinge and their normal at rest as rows; `flexions (2,)` are
// the least and the greatest.
static void solve_limb_rotations(Floats<2> target, Floats<1> swivel, Floats<2> towards, Floats<2> home, double upper,
                                 double lower, Floats<2> frame, Floats<1> flexions, FloatsOut<2> quaternions,
                                 FloatsOut<1> bends, FloatsOut<2> elbows) {
    const ReachLimits limits = reach_limits(upper, lower, flexions(0), flexions(1));
    for (Index i = 0; i < target.shape[0]; ++i) {
        const Vec3 reference = read_vector(towards.at(towards.shape[0] > 1 ? i : 0));
        const Vec3 second = read_vector(home.at(home.shape[0] > 1 ? i : 0));
        const SolvedLimb limb =
            solve_limb(read_vector(target.at(i)), swivel(i), reference, second, upper, lower, frame.data, limits);
        write_quaternion(quaternions.at(i), limb.rotation);
        bends(i) = limb.flexion;
        write_vector(elbows.at(i), limb.elbow);
    }
}

// Directions (N, 3) in which elbows leave their axes (N, 3) at swivel zero; `towards` and `home` (N, 3) as above.
static void swivel_zeros(Floats<2> axes, Floats<2> towards, Floats<2> home, FloatsOut<2> zeros) {
    for (Index i = 0; i < axes.shape[0]; ++i) {
        const Vec3 axis = read_vector(axes.at(i));
        write_vector(zeros.at(i), swivel_zero(axis, read_vector(towards.at(i)), read_vector(home.at(i)), 0.0).outward);
    }
}

KERNELS(two_bone) {
    return {kernel<solve_limb_rotations>("solve_limb_rotations"), kernel<swivel_zeros>("swivel_zeros")};
}

}  // namespace kinesphere
