// Limbs that bring points to their targets, and arms that hang from trunks that have turned: see limbs.py.
#include "body/reach/limb.hpp"

namespace kinesphere {

constexpr double STILL = 1e-7;  // metres and radians: a smaller change is none

// LimbRows of limbs.py: M points on limbs, T frames.
struct LimbRows {
    Ints<1> upper, lower, end, joint;  // (M,)
    Bools<1> attached, again, turned;  // (M,)
    Floats<2> hinges;                  // (M, 3)
    Floats<2> senses;                  // (M, 2)
    Floats<2> offsets;                 // (M, 3)
    Floats<3> targets;                 // (M, T, 3)
    Floats<2> weights;                 // (M, T)
    Floats<3> facings;                 // (M, T, 4)
    Floats<3> reaches;                 // (M, T, 2)
};

// A pose of a whole body that is changed joint by joint.
class BodyPose {
   public:
    BodyPose(Ints<1> parents, double* local, double* translations)
        : parents_(parents), local_(local), translations_(translations), q(parents.shape[0]), p(parents.shape[0]) {}

    void find_world() {
        for (Index joint = 0; joint < parents_.shape[0]; ++joint) {
            const Index above = parents_(joint);
            const Quat own = read_quaternion(local_ + 4 * joint);
            const Vec3 at = read_vector(translations_ + 3 * joint);
            q[joint] = above < 0 ? own : q[above] * own;
            p[joint] = above < 0 ? at : p[above] + rotate(q[above], at);
        }
    }

    // Rotate a joint by `rotation` in the world where its parent rotates by `above`.
    void turn(Index joint, Quat above, Quat rotation) {
        const Index parent = parents_(joint);
        const Quat carrier = parent < 0 ? above : above * q[parent];
        set(joint, conjugate(carrier) * (rotation * q[joint]));
    }

    void set(Index joint, Quat now) {
        if (dot(now, read_quaternion(local_ + 4 * joint)) < 0.0) now = -now;
        write_quaternion(local_ + 4 * joint, now);
    }

    void move(Index joint, Vec3 step) {
        const Index parent = parents_(joint);
        if (parent >= 0) step = rotate(conjugate(q[parent]), step);
        double* at = translations_ + 3 * joint;
        write_vector(at, read_vector(at) + step);
    }

   private:
    Ints<1> parents_;
    double *local_, *translations_;

   public:
    std::vector<Quat> q;
    std::vector<Vec3> p;
};

constexpr Quat NONE = {1.0, 0.0, 0.0, 0.0};

static void place_point(const LimbRows& rows, Index m, Index t, BodyPose& pose) {
    const Index joint = rows.joint(m), end = rows.end(m);
    const Quat own = pose.q[joint];
    const Vec3 here = pose.p[joint] + rotate(own, read_vector(rows.offsets.at(m)));
    const double weight = rows.weights(m, t);
    Vec3 tip = here, target = here + weight * (read_vector(rows.targets.at(m, t)) - here);
    Quat turned = NONE;  // of the whole hand or foot
    if (rows.turned(m)) {
        turned = slerp(own, read_quaternion(rows.facings.at(m, t)), weight) * conjugate(own);
        tip = pose.p[end];
        target = target - rotate(turned, here - tip);
    }
    const double sine = std::sqrt(square(turned.x) + square(turned.y) + square(turned.z));
    if (!(norm(target - tip) > STILL || sine > 0.5 * STILL)) return;
    const Index upper = rows.upper(m), lower = rows.lower(m);
    const Vec3 start = pose.p[upper], middle = pose.p[lower];
    const double distance = clamp(norm(target - start), rows.reaches(m, t, 0), rows.reaches(m, t, 1));
    Floats<1> hinge;
    hinge.data = rows.hinges.at(m), hinge.shape[0] = 3;
    const LimbChain limb = {upper, lower, end, rows.attached(m),  hinge,
                            0.0,   1.0,   0.0, rows.senses(m, 0), rows.senses(m, 1)};
    const LimbSolution solution(limb, pose.q[upper], start, middle, tip, target, distance);
    const BentLimb bent = solution.bent(0.0, solution.backward());
    pose.turn(upper, NONE, bent.upper);
    pose.turn(lower, bent.upper, bent.lower);
    if (!rows.attached(m)) pose.move(end, bent.end - tip);
    if (rows.turned(m)) pose.turn(end, rows.attached(m) ? bent.lower : NONE, turned);
}

// Bring points to their targets in poses (T, J, 4), (T, J, 3), in place.
static void place_limbs(Ints<1> parents, const LimbRows& rows, FloatsOut<3> local, FloatsOut<3> translations) {
    for (Index t = 0; t < local.shape[0]; ++t) {
        BodyPose pose(parents, local.at(t), translations.at(t));
        pose.find_world();
        for (Index m = 0; m < rows.upper.shape[0]; ++m) {
            if (rows.again(m)) pose.find_world();
            place_point(rows, m, t, pose);
        }
    }
}

// Let joints (A,) keep a share of their world rotations in (T, J, 4) where what carries them has turned, in place.
static void hang_joints(Ints<1> parents, Ints<1> joints, Floats<3> before, double share, FloatsOut<3> local) {
    const auto world = [&](Index t, Index joint) {
        Quat q = NONE;
        for (; joint >= 0; joint = parents(joint)) q = read_quaternion(local.at(t, joint)) * q;
        return q;
    };
    for (Index t = 0; t < local.shape[0]; ++t) {
        for (Index a = 0; a < joints.shape[0]; ++a) {
            const Index joint = joints(a), parent = parents(joint);
            const Quat carrier = world(t, parent), was = read_quaternion(before.at(t, joint));
            const Quat own = read_quaternion(local.at(t, joint)), now = carrier * own, step = conjugate(was) * now;
            if (!(std::sqrt(square(step.x) + square(step.y) + square(step.z)) > 0.5 * STILL)) continue;
            const Quat hung = conjugate(carrier) * slerp(now, was, share);
            write_quaternion(local.at(t, joint), dot(hung, own) < 0.0 ? -hung : hung);
        }
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::LimbRows, &kinesphere::LimbRows::upper, &kinesphere::LimbRows::lower, &kinesphere::LimbRows::end,
       &kinesphere::LimbRows::joint, &kinesphere::LimbRows::attached, &kinesphere::LimbRows::again,
       &kinesphere::LimbRows::turned, &kinesphere::LimbRows::hinges, &kinesphere::LimbRows::senses,
       &kinesphere::LimbRows::offsets, &kinesphere::LimbRows::targets, &kinesphere::LimbRows::weights,
       &kinesphere::LimbRows::facings, &kinesphere::LimbRows::reaches);

namespace kinesphere {

KERNELS(shape_limbs) { return {kernel<place_limbs>("place_limbs"), kernel<hang_joints>("hang_joints")}; }

}  // namespace kinesphere
