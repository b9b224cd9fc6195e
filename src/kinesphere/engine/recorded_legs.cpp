// Legs of a recorded pose: feet brought to where they are wanted, heels that rise where ankles are spent.
#include "engine/recorded_limbs.hpp"
#include "engine/room.hpp"
#include "maths/filters.hpp"

namespace kinesphere {

constexpr double LEAST_ROOM = 0.05;     // radians of a joint that are always left
constexpr double MOST_RAISED = 1.0;     // radians of a heel
constexpr int RAISINGS = 24;            // times that a heel rises as far as its ankle is bent too much
constexpr int SWIVELLINGS = 4;          // times that a leg swivels as far as its hip is turned too much
constexpr double MOST_SWIVELLED = 0.8;  // radians
constexpr double BENT_ENOUGH = 1e-4;    // radians
constexpr double KNEE_FOLLOWS = 0.04;   // leg lengths that a knee is moved ahead in which it comes to be over its foot
constexpr double OPPOSITE = 0.4;        // cosine from where on a foot says nothing of its knee any more: it points back
constexpr double CLEARLY = 0.5;         // cosine to its hinge from which on a knee is bent one way round, or the other
constexpr double MOVED = 1e-7;          // metres, and radians: what is nearer to how it was stays
constexpr double STAYS = 1e-9;          // radians of a heel, a knee or a swivel that leave a leg where it is
constexpr double MISSED = 0.0016;       // leg lengths that a foot is off for a calm knee, at most
constexpr double MISSED_IN_AIR = 0.03;  // more of them, of a foot that stands nowhere, where no leg reaches
constexpr double TOO_FAR[] = {0.99, 1.02};          // leg lengths to it, over which that comes
constexpr double NEARLY_STRAIGHT[] = {12.0, 40.0};  // degrees: a knee is up to the first, and no longer from the second
constexpr double ROLLS_LEVEL[] = {0.75, 0.97};      // cosine to its own axis over which a foot rolls about a level one
constexpr double TURN = 6.283185307179586;

// The same angle, of up to a turn either way, by half a turn at most.
static double wrapped(double angle) {
    return std::abs(angle) > 0.5 * TURN ? angle - std::copysign(TURN, angle) : angle;
}

namespace {

// LimitedHinge of recorded_feet.py: how far a joint is bent in the joint above it.
struct LimitedHinge {
    Floats<1> before, after;           // (4,) rest rotations in the world: of the joint above, of its own
    Floats<1> bone, neutral, forward;  // (3,) at rest: its direction, that of flexion 0, and the one that it flexes to
    double least, greatest;            // radians
};

// The same in the axes of both joints.
struct Hinge {
    Vec3 bone, neutral, forward;  // in its own axes; in those of the joint above
    double least, greatest;

    explicit Hinge(const LimitedHinge& of)
        : bone(rotate(conjugate(read_quaternion(of.after.data)), read_vector(of.bone.data))),
          neutral(rotate(conjugate(read_quaternion(of.before.data)), read_vector(of.neutral.data))),
          forward(rotate(conjugate(read_quaternion(of.before.data)), read_vector(of.forward.data))),
          least(of.least),
          greatest(of.greatest) {}

    double flexion(Quat above, Quat own) const {
        const Vec3 way = rotate(conjugate(above), rotate(own, bone));
        return angle_of(dot(way, forward), dot(way, neutral));
    }
};

// LimitedTwist of recorded_feet.py: how far a joint is turned about its bone in the joint above it.
struct LimitedTwist {
    Floats<1> before, after, bone;  // (4,), (4,), (3,) as above
    double least, greatest;         // radians
};

// The same, as linear forms of the joint's rotation in the one above.
struct Twist {
    Quat cosine, sine;  // of half the angle, times a number
    double least, greatest;

    explicit Twist(const LimitedTwist& of) : least(of.least), greatest(of.greatest) {
        const auto turned = [&](Quat own) {
            return read_quaternion(of.before.data) * own * conjugate(read_quaternion(of.after.data));
        };
        const auto about = [&](Quat q) { return dot({q.x, q.y, q.z}, read_vector(of.bone.data)); };
        const Quat w = turned({1.0, 0.0, 0.0, 0.0}), x = turned({0.0, 1.0, 0.0, 0.0}), y = turned({0.0, 0.0, 1.0, 0.0}),
                   z = turned({0.0, 0.0, 0.0, 1.0});
        cosine = {w.w, x.w, y.w, z.w};
        sine = {about(w), about(x), about(y), about(z)};
    }

    double angle(Quat above, Quat own) const {
        const Quat q = conjugate(above) * own;
        const auto of = [&](Quat form) { return form.w * q.w + form.x * q.x + form.y * q.y + form.z * q.z; };
        return wrapped(2.0 * angle_of(of(sine), of(cosine)));
    }
};

// Leg of recorded_feet.py.
struct Leg {
    Limb limb;
    Index toes;       // -1: none
    Floats<1> frame;  // (4,) from the foot's own axes to its anatomical ones
    LimitedTwist hip;
    LimitedHinge ankle, ball;
};

// What loops over frames need of a leg.
struct LegFrame {
    const Leg& leg;
    Vec3 hinge;
    Twist hip;
    Hinge ankle, ball;

    explicit LegFrame(const Leg& own)
        : leg(own), hinge(read_vector(own.limb.hinge.data)), hip(own.hip), ankle(own.ankle), ball(own.ball) {}
};

// LegRows of recorded_feet.py: where a leg's joints are among those in the world.
struct LegRows {
    Index hips, upper, lower, foot, toes;  // toes: of the foot, where it has none
};

// WorldPose of recorded_feet.py.
struct WorldPose {
    Floats<3> q, p;  // (T, K, 4), (T, K, 3)

    Quat rotation(Index t, Index row) const { return read_quaternion(q.at(t, row)); }
    Vec3 position(Index t, Index row) const { return read_vector(p.at(t, row)); }
};

// Standing of recorded_feet.py: where a foot is wanted.
struct Standing {
    Floats<2> ankles, turned;  // (T, 3), (T, 4)
    Floats<1> about;           // (T,) radians to the left by which its leg goes with it
    Floats<1> grounded;        // (T,) how far it stands: in the air it rolls about its ankle, and not over its ball
};

// LegSmoothing of recorded_feet.py.
struct LegSmoothing {
    Index heels;               // frames in which a heel comes up, and goes down again
    Floats<1> knees, swivels;  // weights
};

// The axis about which a foot, turned so, rolls over its ball, at `sole` from the ankle: level, and square to the foot,
// so that a heel that rises does not slide aside. A foot that stands on its toes, or on its side, has its own.
Vec3 roll_axis(const Leg& leg, Quat foot, Vec3 sole) {
    const Vec3 own = rotate(foot * read_quaternion(leg.frame.data), {1.0, 0.0, 0.0});
    if (leg.toes < 0) return own;
    const Vec3 level = cross({0.0, 1.0, 0.0}, sole) / most(norm(sole), 1e-9);
    const double share = smoothstep((dot(level, own) - ROLLS_LEVEL[0]) / (ROLLS_LEVEL[1] - ROLLS_LEVEL[0]));
    const Vec3 axis = (1.0 - share) * own + (share / most(norm(level), 1e-9)) * level;
    return axis / most(norm(axis), 1e-9);
}

// A leg in one frame, moved from how it was recorded to where it is wanted.
struct MovedLeg {
    const LegFrame* frame;
    Quat thigh, shin, foot, toes, flat, pelvis, carried;
    Vec3 first, second, hip, ankle, sole, left;
    Bones bones;
    double grounded;
    double way_round;          // its knee was recorded bent the right way round, 1, the wrong way, -1, or between
    bool moved, bent_wrongly;  // that it was recorded with its knee bent the wrong way round
    Quat bend, swing;
    double solved_raise = -1.0, solved_knee = -1.0;  // radians that bend and swing are for; of none yet

    MovedLeg(const LegFrame& own, const LegRows& rows, const WorldPose& was, const WorldPose& now,
             const Standing& wanted, Index t)
        : frame(&own),
          thigh(was.rotation(t, rows.upper)),
          shin(was.rotation(t, rows.lower)),
          foot(was.rotation(t, rows.foot)),
          toes(was.rotation(t, rows.toes)),
          flat(read_quaternion(wanted.turned.at(t))),
          pelvis(was.rotation(t, rows.hips)),
          carried(now.rotation(t, rows.hips)),
          first(was.position(t, rows.lower) - was.position(t, rows.upper)),
          second(was.position(t, rows.foot) - was.position(t, rows.lower)),
          hip(now.position(t, rows.upper)),
          ankle(read_vector(wanted.ankles.at(t))),
          sole(was.position(t, rows.toes) - was.position(t, rows.foot)),
          left(roll_axis(own.leg, foot, sole)),
          bones(turn(wanted.about(t))),
          grounded(wanted.grounded(t)),
          bend{1.0, 0.0, 0.0, 0.0},
          swing{1.0, 0.0, 0.0, 0.0} {
        const Quat step = conjugate(now.rotation(t, rows.foot)) * flat;
        const double sine = norm(Vec3{step.x, step.y, step.z});
        sole = rotate(flat * conjugate(foot), sole);
        moved = norm(now.position(t, rows.foot) - ankle) > MOVED || sine > std::tan(0.5 * MOVED) * std::abs(step.w);
        const Vec3 shown = cross(first, second);
        const double along = dot(shown, rotate(thigh, own.hinge));
        bent_wrongly = along < 0.0;
        way_round = clamp(along / most(CLEARLY * norm(shown), 1e-12), -1.0, 1.0);
    }

    // Turn it as it was recorded about the vertical; gives its bones.
    Bones turn(double angle) {
        if (angle != 0.0) {
            const Quat about = axis_angle_quaternion({0.0, 1.0, 0.0}, angle);
            for (Quat* own : {&thigh, &shin, &foot, &toes, &pelvis}) *own = about * *own;
            for (Vec3* own : {&first, &second, &sole, &left}) *own = rotate(about, *own);
        }
        return {first, second, rotate(thigh, frame->hinge)};
    }

    bool has_length() const { return bones.upper > 1e-9 && bones.lower > 1e-9; }

    Quat roll(double raised) const { return axis_angle_quaternion(left, raised); }

    // From the hip to the ankle of a foot that has rolled by so much: over its ball where it stands.
    Vec3 way(double raised) const {
        return raised == 0.0 ? ankle - hip : ankle + grounded * (sole - rotate(roll(raised), sole)) - hip;
    }

    // Flexion of a knee whose leg reaches so far.
    double flexion(double far) const {
        const double a = bones.upper, b = bones.lower;
        return angle_of_cosine(clamp((far * far - a * a - b * b) / (2.0 * a * b), -1.0, 1.0));
    }

    // Bend the knee by an angle and turn the leg along a way.
    void solve(double flexed, Vec3 along) {
        const Vec3 lower = std::cos(flexed) * bones.along + std::sin(flexed) * cross(bones.axis, bones.along);
        const Vec3 line = first + bones.lower * lower;
        bend = rotation_between_units(bones.below, lower);
        swing = rotation_between_units(line / norm(line), along / norm(along));
    }

    // The same to an ankle of a foot that has rolled so far, if it is not done yet.
    void solve_for(double raised, double flexed) {
        if (raised == solved_raise && flexed == solved_knee) return;
        solve(flexed, way(raised));
        solved_raise = raised, solved_knee = flexed;
    }

    // From the hip to the ankle as the leg is solved, before it swings.
    Vec3 line() const { return first + bones.lower * rotate(bend, bones.below); }

    // How the leg swings if it turns about the line to its ankle as well.
    Quat swivelled(double angle) const {
        if (angle == 0.0) return swing;
        const Vec3 along = rotate(swing, line());
        return axis_angle_quaternion(along / most(norm(along), 1e-9), angle) * swing;
    }

    // Swivel that brings a knee over its foot that bends farther than it was recorded: a straight leg hardly shows its
    // hinge.
    double over_foot(double recorded, double flexed) const {
        const Vec3 way = line(), axis = rotate(swing, way / most(norm(way), 1e-9));
        const double a = bones.upper, b = bones.lower;
        const double was = a * b * std::sin(recorded) / most(norm(first + b * bones.below), 1e-9);
        const double added = a * b * std::sin(flexed) / most(norm(way), 1e-9) - was, slow = KNEE_FOLLOWS * (a + b);
        if (added <= 0.0) return 0.0;
        const Vec3 knee = rotate(swing, first), off = knee - dot(knee, axis) * axis, over = cross(axis, left);
        if (norm(off) < 1e-9 || norm(over) < 1e-9) return 0.0;
        const Vec3 now = off / norm(off), to = over / norm(over);
        const double share = smoothstep((dot(now, to) + OPPOSITE) / (2.0 * OPPOSITE)) * square(added) / (added + slow);
        const Vec3 wanted = (was + slow) * now + share * to;
        return angle_of(dot(cross(now, wanted), axis), dot(now, wanted));
    }

    // By how much more a leg that is swivelled by so much has to be, where the pelvis has turned farther than the hip
    // goes. A swivel turns a bent leg's thigh about its bone by nearly as much, so this takes a few rounds.
    double spare_hip(double swivel) const {
        const Twist& limit = frame->hip;
        const double was = limit.angle(pelvis, thigh);
        const auto added = [&](double more) {
            return wrapped(limit.angle(carried, swivelled(swivel + more) * thigh) - was);
        };
        double now = added(0.0), more = 0.0;
        const double room = most(now > 0.0 ? limit.greatest - was : was - limit.least, LEAST_ROOM);
        const double goal = std::copysign(within_room(std::abs(now), room), now);
        for (int round = 0; round < SWIVELLINGS && std::abs(now - goal) > BENT_ENOUGH; ++round) {
            more = clamp(more + goal - now, -MOST_SWIVELLED, MOST_SWIVELLED);
            now = added(more);
        }
        return more;
    }

    // How far the ankle of a foot, turned so in the world, is bent in the leg as it is solved.
    double bent_ankle(Quat turned) const { return frame->ankle.flexion(swing * bend * shin, turned); }

    // The recorded flexion, of a knee that is bent the right way round.
    double recorded_knee() const { return flexion(norm(first + bones.lower * bones.below)); }

    // By how much a foot in the air is pointed less, as the leg is solved: its ankle would stretch farther than it
    // goes.
    double spare_ankle(Quat turned) const {
        const Hinge& limit = frame->ankle;
        const double was = limit.flexion(shin, foot), stretched = wrapped(was - bent_ankle(turned));
        if (grounded == 1.0 || stretched <= 0.0) return 0.0;
        return least(stretched - within_room(stretched, most(was - limit.least, LEAST_ROOM)), MOST_RAISED);
    }

    // By how much its heel rises where its ankle, bent by `asked` more than recorded, would bend farther than it goes.
    double raised_heel(double recorded, double knee) {
        const Vec3 was = first + bones.lower * bones.below;
        const double greatest = most(frame->ankle.greatest, recorded);
        solve(knee, was);
        const double from = least(bent_ankle(foot), greatest);
        const auto bent = [&](double raised) {
            solve_for(raised, flexion(norm(way(raised))));
            return from + wrapped(bent_ankle(raised == 0.0 ? flat : roll(raised) * flat) - from);
        };
        const double asked = bent(0.0) - from;
        if (asked <= 0.0) return 0.0;
        const double goal = from + within_room(asked, most(greatest - from, LEAST_ROOM));
        double raised = 0.0, excess = from + asked - goal;
        for (int round = 0; round < RAISINGS && std::abs(excess) > BENT_ENOUGH; ++round) {
            raised = clamp(raised + excess, 0.0, MOST_RAISED);
            excess = bent(raised) - goal;
        }
        return raised;
    }
};

// The knees of a leg over all frames.
struct Knees {
    Scratch<double, 1> recorded, flexed, asked, added, calm;  // asked: leg lengths that it should reach

    explicit Knees(Index frames) : recorded(frames), flexed(frames), asked(frames), added(frames), calm(frames) {}

    // Flex knees that are nearly straight so that they are calm: there a millimetre is degrees, and what was added to
    // them is smoothed. But no foot that stands is off by more than a little for that.
    void smooth_added(Floats<1> weights, Floats<1> grounded, const std::vector<MovedLeg>& legs) {
        const Index frames = flexed.shape[0];
        for (Index t = 0; t < frames; ++t) {  // to a knee that is bent the wrong way round more is added
            added(t) = flexed(t) - legs[static_cast<std::size_t>(t)].way_round * recorded(t);
        }
        smooth_signal(added, weights, REFLECT, calm);
        const double least_bent = NEARLY_STRAIGHT[0] * TURN / 360.0, bent = NEARLY_STRAIGHT[1] * TURN / 360.0;
        for (Index t = 0; t < frames; ++t) {
            const double knee = flexed(t), straight = least(recorded(t), knee);
            const double by = (1.0 - smoothstep((straight - least_bent) / (bent - least_bent))) * (calm(t) - added(t));
            if (by == 0.0) continue;
            const double cosine = std::cos(0.5 * knee), far = asked(t);
            const double beyond = smoothstep((far - TOO_FAR[0]) / (TOO_FAR[1] - TOO_FAR[0]));
            const double off = MISSED + (1.0 - grounded(t)) * beyond * MISSED_IN_AIR;
            const double room = most(by > 0.0 ? 2.0 * angle_of_cosine(most(cosine - off, -1.0)) - knee
                                              : knee - 2.0 * angle_of_cosine(least(cosine + off, 1.0)),
                                     1e-12);
            flexed(t) = knee + room * std::tanh(by / room);
        }
    }
};

}  // namespace

// Bring a leg of T poses to where its foot is wanted, in place: its heel rises where its ankle would bend too far, its
// knee bends or straightens and stays over the foot, however the pelvis is turned. `was` and `now` are joints in the
// world, as recorded and as they are. What nothing moves stays; a knee that is bent the wrong way round is bent the
// right way round where it is moved, and for as long as it is bent so: from one to the other it goes where it is
// straight.
static void place_leg(const Leg& leg, const LegRows& rows, const WorldPose& was, const WorldPose& now,
                      const Standing& wanted, const LegSmoothing& smoothing, FloatsOut<3> rotations,
                      FloatsOut<3> translations) {
    const Index frames = rotations.shape[0];
    const LegFrame frame(leg);
    std::vector<MovedLeg> legs;
    legs.reserve(static_cast<std::size_t>(frames));
    Scratch<double, 1> heels(frames), swivels(frames), needed(frames), reached(frames);
    Scratch<bool, 1> moved(frames);
    Scratch<double, 1> pointed(frames), lowered(frames);
    bool any = false, raised = false, points = false;
    for (Index t = 0; t < frames; ++t) {
        legs.emplace_back(frame, rows, was, now, wanted, t);
        moved(t) = legs.back().moved;
        any = any || moved(t);
    }
    if (!any) return;
    const auto at = [&](Index t) -> MovedLeg& { return legs[static_cast<std::size_t>(t)]; };
    Knees knees(frames);
    for (Index t = 0; t < frames; ++t) {
        MovedLeg& own = at(t);
        if (!own.has_length()) continue;
        knees.recorded(t) = own.recorded_knee();
        if (leg.toes >= 0) needed(t) = own.raised_heel(frame.ankle.flexion(own.shin, own.foot), knees.recorded(t));
        raised = raised || needed(t) != 0.0;
    }
    if (raised) widen(needed, smoothing.heels, smoothing.heels, heels);
    for (Index t = 0; t < frames; ++t) {
        const MovedLeg& own = at(t);
        if (!own.has_length()) continue;
        const double far = norm(own.way(heels(t)));
        knees.flexed(t) = reached(t) = own.flexion(far);
        knees.asked(t) = far / (own.bones.upper + own.bones.lower);
    }
    knees.smooth_added(smoothing.knees, wanted.grounded, legs);
    for (Index t = 0; t < frames; ++t) {
        MovedLeg& own = at(t);
        needed(t) = 0.0;
        if (!own.has_length()) continue;
        own.solve_for(heels(t), knees.flexed(t));
        needed(t) = own.over_foot(knees.recorded(t), knees.flexed(t));
        if (leg.toes >= 0) pointed(t) = own.spare_ankle(heels(t) == 0.0 ? own.flat : own.roll(heels(t)) * own.flat);
        points = points || pointed(t) != 0.0;
    }
    if (points) {
        widen(pointed, smoothing.heels, smoothing.heels, lowered);
        for (Index t = 0; t < frames; ++t) heels(t) -= (1.0 - at(t).grounded) * lowered(t);
    }
    smooth_signal(needed, smoothing.swivels, REFLECT, swivels);
    // What spares a hip is there in full wherever it is needed, to the left and to the right.
    Scratch<double, 1> left(frames), right(frames), wide(frames);
    bool spares = false;
    for (Index t = 0; t < frames; ++t) {
        const double more = at(t).has_length() ? at(t).spare_hip(swivels(t)) : 0.0;
        left(t) = most(more, 0.0), right(t) = most(-more, 0.0);
        spares = spares || more != 0.0;
    }
    if (spares) {
        widen(left, smoothing.heels, smoothing.heels, wide);
        for (Index t = 0; t < frames; ++t) swivels(t) += wide(t);
        widen(right, smoothing.heels, smoothing.heels, wide);
        for (Index t = 0; t < frames; ++t) swivels(t) -= wide(t);
    }
    for (Index t = 0; t < frames; ++t)
        moved(t) = moved(t) || std::abs(heels(t)) > STAYS || std::abs(knees.flexed(t) - reached(t)) > STAYS ||
                   std::abs(swivels(t)) > STAYS;
    for (Index t = 0; t < frames; ++t) {
        if (!at(t).bent_wrongly) continue;
        Index end = t;
        bool whole = false;
        for (; end < frames && at(end).bent_wrongly; ++end) whole = whole || moved(end);
        if (whole) std::fill(moved.data + t, moved.data + end, true);
        t = end;
    }
    for (Index t = 0; t < frames; ++t) {
        const MovedLeg& own = at(t);
        if (!moved(t) || !own.has_length()) continue;
        const PoseView pose = {leg.limb.parents, rotations.at(t), translations.at(t)};
        const double heel = heels(t);
        const Quat swung = own.swivelled(swivels(t)), foot = heel == 0.0 ? own.flat : own.roll(heel) * own.flat;
        const Quat thigh = swung * own.thigh, shin = swung * own.bend * own.shin;
        pose.set(leg.limb.upper, conjugate(pose.world_of_parent(leg.limb.upper)) * thigh);
        pose.set(leg.limb.lower, conjugate(pose.world_of_parent(leg.limb.lower, leg.limb.upper, thigh)) * shin);
        pose.set(leg.limb.end, conjugate(pose.world_of_parent(leg.limb.end, leg.limb.lower, shin)) * foot);
        if (leg.toes < 0) continue;
        // Toes stay on the ground; those that are bent all the way, or stand nowhere, go up with the foot.
        Quat toes = own.toes;
        if (heel != 0.0) {
            const double room = most(frame.ball.greatest - frame.ball.flexion(own.flat, own.toes), LEAST_ROOM);
            toes = own.roll(heel - own.grounded * within_room(heel, room)) * toes;
        }
        pose.set(leg.toes, conjugate(pose.world_of_parent(leg.toes, leg.limb.end, foot)) * toes);
    }
}

// Write the axes (T, 3) about which feet, turned by (T, 4), roll over balls at `soles` (T, 3) from ankles.
static void roll_axes(const Leg& leg, Floats<2> feet, Floats<2> soles, FloatsOut<2> axes) {
    for (Index t = 0; t < axes.shape[0]; ++t)
        write_vector(axes.at(t), roll_axis(leg, read_quaternion(feet.at(t)), read_vector(soles.at(t))));
}

}  // namespace kinesphere

FIELDS(kinesphere::LimitedHinge, &kinesphere::LimitedHinge::before, &kinesphere::LimitedHinge::after,
       &kinesphere::LimitedHinge::bone, &kinesphere::LimitedHinge::neutral, &kinesphere::LimitedHinge::forward,
       &kinesphere::LimitedHinge::least, &kinesphere::LimitedHinge::greatest);
FIELDS(kinesphere::LimitedTwist, &kinesphere::LimitedTwist::before, &kinesphere::LimitedTwist::after,
       &kinesphere::LimitedTwist::bone, &kinesphere::LimitedTwist::least, &kinesphere::LimitedTwist::greatest);
FIELDS(kinesphere::Leg, &kinesphere::Leg::limb, &kinesphere::Leg::toes, &kinesphere::Leg::frame, &kinesphere::Leg::hip,
       &kinesphere::Leg::ankle, &kinesphere::Leg::ball);
FIELDS(kinesphere::LegRows, &kinesphere::LegRows::hips, &kinesphere::LegRows::upper, &kinesphere::LegRows::lower,
       &kinesphere::LegRows::foot, &kinesphere::LegRows::toes);
FIELDS(kinesphere::WorldPose, &kinesphere::WorldPose::q, &kinesphere::WorldPose::p);
FIELDS(kinesphere::Standing, &kinesphere::Standing::ankles, &kinesphere::Standing::turned, &kinesphere::Standing::about,
       &kinesphere::Standing::grounded);
FIELDS(kinesphere::LegSmoothing, &kinesphere::LegSmoothing::heels, &kinesphere::LegSmoothing::knees,
       &kinesphere::LegSmoothing::swivels);

namespace kinesphere {

KERNELS(recorded_legs) { return {kernel<place_leg>("place_leg"), kernel<roll_axes>("roll_axes")}; }

}  // namespace kinesphere
