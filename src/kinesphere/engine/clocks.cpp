// Stroke timing: EMOTE easing with anticipation and overshoot, and its corners rounded in every frame.
#include <algorithm>
#include <cstdlib>

#include "maths/binding.hpp"

namespace kinesphere {

constexpr double EDGE = 0.01;  // the first and the last stretch, in which the speed leaves zero and returns
constexpr double EARLIEST = 0.02, LATEST = 0.98;  // inflection
constexpr double LEAST_EXPONENT = 0.05;
constexpr double LEAST_AREA = 0.02;   // of the area without anticipation and overshoot
constexpr Index PEAK_PARTS = 64;      // of a stroke, in which its greatest speed is looked for
constexpr double SIGMA_SHARE = 0.10;  // of a stroke's time that the Gaussian's σ is at most
constexpr double RETURNS = 7.0;       // how much wider that Gaussian is at the end, for all overshoot
constexpr double RAMP = 4.0;          // σ over which a rounded stroke is led back to its ends
constexpr double EVEN_RAMP = 0.16;    // of an even stroke's time in which it gains speed, and in which it loses it
constexpr double TWO_PI = 6.283185307179586;

namespace {

// The strokes of a clock.
struct StrokeTiming {
    Ints<1> goals;         // (S + 1,) frames at which strokes begin and end
    Floats<1> inflection;  // (S,) and so on
    Floats<1> anticipation;
    Floats<1> overshoot;
    Floats<1> exponent;
    Floats<1> evenness;
    Floats<1> hesitation;
    Floats<1> pauses;     // whole numbers
    Floats<1> irregular;  // of the hesitation, the share that comes once more than that
};

// Where a hand is within its strokes in every frame.
struct StrokePhase {
    IntsOut<1> stroke;        // (F,)
    FloatsOut<1> time_share;  // (F,) of the stroke's time, 0 to 1
    FloatsOut<1> path_share;  // (F,) of the stroke's path; outside 0 to 1 past its ends
};

// How wide the Gaussian is within one stroke.
struct StrokeBlur {
    double length, narrowest, softer;

    // σ at a frame of the stroke, in frames: wider in its second half.
    double sigma(Index i) const {
        const double late = clamp((static_cast<double>(i) / length - 0.5) / 0.5, 0.0, 1.0);
        return narrowest * (1.0 + softer * late * late);
    }
};

// What timing makes of a stroke: see stroke_progress in clocks.py. All that does not depend on time is found once.
class Progress {
   public:
    Progress(double inflection, double anticipation, double overshoot, double exponent, double evenness = 0.0,
             double hesitation = 0.0, double pauses = 1.0, double irregular = 0.0)
        : even_(evenness),
          halt_((1.0 - irregular) * hesitation / (TWO_PI * pauses)),
          again_(irregular * hesitation / (TWO_PI * (pauses + 1.0))),
          pauses_(pauses),
          peak_(clamp(inflection, EARLIEST, LATEST)),
          back_(least(anticipation, (1.0 - 2.0 * LEAST_AREA) * (1.0 - 2.0 * EDGE))),
          // At most twice the area of the triangle that neutral timing has, without what anticipation takes of it.
          over_(least(overshoot, ((1.0 - 2.0 * EDGE) * peak_ * (1.0 - LEAST_AREA) - back_ * peak_) / (1.0 - peak_))),
          exponent_(most(exponent, LEAST_EXPONENT)),
          whole_((1.0 - 2.0 * EDGE) * peak_ - back_ * peak_ - over_ * (1.0 - peak_)) {}

    // The share of its path that a hand has gone after the share `t` of its time; NaN stays NaN.
    double at(double t) const {
        const double even_time = clamp(t, 0.0, 1.0);
        double share = even_time;
        // Hesitations: time itself runs slowly at the ends and at every pause between them.
        if (halt_ != 0.0) share -= halt_ * std::sin(TWO_PI * pauses_ * even_time);
        if (again_ != 0.0) share -= again_ * std::sin(TWO_PI * (pauses_ + 1.0) * even_time);
        const double accented = accent(share);
        return even_ == 0.0 ? accented : accented + even_ * (even(share) - accented);
    }

   private:
    // The speed runs in straight lines through five knots.
    double accent(double share) const {
        const double now = std::pow(share, exponent_);
        // The areas under the speed's four lines until now; `whole_` is twice the whole one.
        const double a = least(now, EDGE), b = least(most(now - EDGE, 0.0), peak_ - EDGE);
        const double c = least(most(now - peak_, 0.0), 1.0 - EDGE - peak_), d = most(now - (1.0 - EDGE), 0.0);
        double area = -0.5 * back_ * a * a / EDGE + b * (0.5 * (peak_ + back_) * b / (peak_ - EDGE) - back_);
        area = area + c * (peak_ - 0.5 * (over_ + peak_) * c / (1.0 - EDGE - peak_));
        area = area + d * (0.5 * over_ * d / EDGE - over_);
        return 2.0 * area / whole_;
    }

    // The speed is the same but for a ramp at either end.
    static double even(double share) {
        const double early = least(share, EVEN_RAMP), late = most(share - (1.0 - EVEN_RAMP), 0.0);
        const double area =
            0.5 * early * early / EVEN_RAMP + most(share - EVEN_RAMP, 0.0) - 0.5 * late * late / EVEN_RAMP;
        return area / (1.0 - EVEN_RAMP);
    }

    double even_, halt_, again_, pauses_, peak_, back_, over_, exponent_, whole_;
};

}  // namespace

// Write the shares of their paths (N,) that hands have gone after shares `t (N,)` of their strokes' time.
static void stroke_progress(Floats<1> t, Floats<1> inflection, Floats<1> anticipation, Floats<1> overshoot,
                            Floats<1> exponent, Floats<1> evenness, Floats<1> hesitation, Floats<1> pauses,
                            Floats<1> irregular, FloatsOut<1> out) {
    for (Index i = 0; i < t.shape[0]; ++i) {
        const Progress progress(inflection(i), anticipation(i), overshoot(i), exponent(i), evenness(i), hesitation(i),
                                pauses(i), irregular(i));
        out(i) = progress.at(t(i));
    }
}

// Write the greatest speeds of strokes (S,), in their mean speeds, from equal parts of a stroke's time.
static void peak_speed(Floats<1> inflection, Floats<1> anticipation, Floats<1> overshoot, Floats<1> exponent,
                       Floats<1> evenness, FloatsOut<1> out) {
    for (Index s = 0; s < inflection.shape[0]; ++s) {
        const Progress progress(inflection(s), anticipation(s), overshoot(s), exponent(s), evenness(s));
        double before = progress.at(0.0), fastest = 0.0;
        for (Index i = 1; i <= PEAK_PARTS; ++i) {
            const double now = progress.at(static_cast<double>(i) / static_cast<double>(PEAK_PARTS));
            fastest = most(fastest, std::abs(now - before));
            before = now;
        }
        out(s) = fastest * static_cast<double>(PEAK_PARTS);
    }
}

// How the rest of the body goes along with strokes.
struct BodyTiming {
    Floats<1> source;      // (S + 1,) when strokes begin and end, as written
    Floats<1> goals;       // (S + 1,) and as performed
    Floats<1> hesitation;  // (S,) and so on
    Floats<1> pauses;
    Floats<1> irregular;
    Floats<1> inflection;
    Floats<1> exponent;
    Floats<1> plain;
    Floats<1> evenness;
};

// Write a gesture's own times (F,) at performed times (F,). Before the first stroke it runs `lead` times as slowly,
// after the last `tail` times. Within a stroke it is where the hand's plain timing would be as far along as the hand is
// now, `follows` of that. An even stroke passes its time evenly, or where `along` is set its path.
static void to_source(const BodyTiming& timing, double lead, double tail, double follows, bool along, Floats<1> time,
                      FloatsOut<1> out) {
    const Index last = timing.plain.shape[0] - 1;
    Index s = 0;
    for (Index f = 0; f < time.shape[0]; ++f) {
        const double now = time(f);
        while (s > 0 && timing.goals(s) > now + 1e-9) --s;
        while (s < last && timing.goals(s + 1) <= now + 1e-9) ++s;
        double share = clamp((now - timing.goals(s)) / (timing.goals(s + 1) - timing.goals(s)), 0.0, 1.0);
        if (timing.hesitation(s) != 0.0) {
            const double once = TWO_PI * timing.pauses(s), again = TWO_PI * (timing.pauses(s) + 1.0);
            const double irregular = timing.irregular(s);
            const double late =
                (1.0 - irregular) / once * std::sin(once * share) + irregular / again * std::sin(again * share);
            share -= timing.hesitation(s) * late;
        }
        const double inflection = timing.inflection(s), plain = timing.plain(s);
        const double gone = timing.exponent(s) == 1.0 ? share : std::pow(share, timing.exponent(s));
        double done = gone <= inflection ? square(gone) / inflection : 1.0 - square(1.0 - gone) / (1.0 - inflection);
        if (along) done += timing.evenness(s) * (share - done);
        const double back =
            done <= plain ? std::sqrt(plain * done) : 1.0 - std::sqrt(most((1.0 - plain) * (1.0 - done), 0.0));
        double shaped = share + follows * (back - share);
        if (!along) shaped += timing.evenness(s) * (share - shaped);
        const double early = least(now - timing.goals(0), 0.0) / lead;
        const double late = most(now - timing.goals(last + 1), 0.0) / tail;
        out(f) = timing.source(s) + shaped * (timing.source(s + 1) - timing.source(s)) + early + late;
    }
}

// A frame within a stroke that is mirrored at its ends.
static Index reflect_frame(Index i, Index length) {
    if (0 <= i && i <= length) return i;
    return length - std::abs(length - std::abs(i) % (2 * length));
}

// Smooth step down: 1 at 0, 0 at 1 and beyond.
static double smooth_step_down(double x) {
    const double left = most(1.0 - x, 0.0);
    return left * left * left * (1.0 + 3.0 * x);
}

// Write the phases of F frames. The Gaussian that rounds corners has a σ of `widest` frames at most without overshoot,
// and goes `reach` frames to either side.
static void stroke_phases(const StrokeTiming& timing, double widest, Index reach, const StrokePhase& phase) {
    const Ints<1> goals = timing.goals;
    const Index frames = phase.stroke.shape[0], count = timing.overshoot.shape[0];
    Index longest = 0;
    for (Index s = 0; s < count; ++s) longest = most(longest, goals(s + 1) - goals(s));
    const Scratch<double, 1> sharp(longest + 1), smooth(longest + 1), weights(reach + 1);
    for (Index s = 0; s < count; ++s) {
        const Index length = goals(s + 1) - goals(s);
        const double whole = static_cast<double>(length), overshoot = timing.overshoot(s);
        const Progress progress(timing.inflection(s), timing.anticipation(s), overshoot, timing.exponent(s),
                                timing.evenness(s), timing.hesitation(s), timing.pauses(s), timing.irregular(s));
        for (Index i = 0; i <= length; ++i) sharp(i) = progress.at(static_cast<double>(i) / whole);
        // A hand that comes back from beyond its goal comes to rest there: its return is rounded the more.
        const StrokeBlur blur = {whole, least(widest, SIGMA_SHARE * whole), RETURNS * overshoot};
        for (Index i = 0; i <= length; ++i) {
            if (i == 0 || blur.softer > 0.0) {
                const double sigma = most(blur.sigma(i), 1e-3);
                for (Index k = 0; k <= reach; ++k) {
                    weights(k) = std::exp(-0.5 * square(static_cast<double>(k) / sigma));
                }
            }
            double total = weights(0), area = weights(0) * sharp(i);
            for (Index k = 1; k <= reach; ++k) {
                total += 2.0 * weights(k);
                area += weights(k) * (sharp(reflect_frame(i - k, length)) + sharp(reflect_frame(i + k, length)));
            }
            smooth(i) = area / total;
        }
        const double start = smooth(0), end = smooth(length) - 1.0;
        const Index first = s == 0 ? 0 : most(goals(s), Index{0});
        const Index last = s == count - 1 ? frames : least(goals(s + 1), frames);
        for (Index f = first; f < last; ++f) {
            const Index i = least(most(f - goals(s), Index{0}), length);
            const double ramp = least(RAMP * blur.sigma(i), 0.5 * whole) + 1e-9;
            phase.stroke(f) = s;
            phase.time_share(f) = static_cast<double>(i) / whole;
            phase.path_share(f) = smooth(i) - start * smooth_step_down(static_cast<double>(i) / ramp) -
                                  end * smooth_step_down(static_cast<double>(length - i) / ramp);
        }
    }
}

}  // namespace kinesphere

FIELDS(kinesphere::StrokeTiming, &kinesphere::StrokeTiming::goals, &kinesphere::StrokeTiming::inflection,
       &kinesphere::StrokeTiming::anticipation, &kinesphere::StrokeTiming::overshoot,
       &kinesphere::StrokeTiming::exponent, &kinesphere::StrokeTiming::evenness, &kinesphere::StrokeTiming::hesitation,
       &kinesphere::StrokeTiming::pauses, &kinesphere::StrokeTiming::irregular);
FIELDS(kinesphere::BodyTiming, &kinesphere::BodyTiming::source, &kinesphere::BodyTiming::goals,
       &kinesphere::BodyTiming::hesitation, &kinesphere::BodyTiming::pauses, &kinesphere::BodyTiming::irregular,
       &kinesphere::BodyTiming::inflection, &kinesphere::BodyTiming::exponent, &kinesphere::BodyTiming::plain,
       &kinesphere::BodyTiming::evenness);
FIELDS(kinesphere::StrokePhase, &kinesphere::StrokePhase::stroke, &kinesphere::StrokePhase::time_share,
       &kinesphere::StrokePhase::path_share);

namespace kinesphere {

// Write what a clock shows at times (T,): by cubics between nodes (N,), increasing, that meet each node's pace. It
// holds what it shows at both ends.
static void follow_paces(Floats<1> nodes, Floats<1> shown, Floats<1> paces, Floats<1> time, FloatsOut<1> out) {
    const Index last = nodes.shape[0] - 1;
    const double* const end = nodes.data + last + 1;
    Index i = 0;
    for (Index t = 0; t < time.shape[0]; ++t) {
        const double moment = time(t);
        if (i > 0 && !(nodes(i) <= moment))
            i = static_cast<Index>(std::upper_bound(nodes.data, end, moment) - nodes.data) - 1;
        while (i + 1 <= last && nodes(i + 1) <= moment) ++i;
        i = most(least(i, last - 1), Index{0});
        const double width = nodes(i + 1) - nodes(i), u = clamp((moment - nodes(i)) / width, 0.0, 1.0);
        const double left = paces(i) * width, right = paces(i + 1) * width, rise = shown(i + 1) - shown(i);
        const double made =
            shown(i) + u * (left + u * ((3.0 * rise - 2.0 * left - right) + u * (left + right - 2.0 * rise)));
        out(t) = clamp(made, shown(0), shown(last));
    }
}

KERNELS(clocks) {
    return {
        kernel<follow_paces>("follow_paces"),   kernel<stroke_progress>("stroke_progress"),
        kernel<peak_speed>("peak_speed"),       kernel<to_source>("to_source"),
        kernel<stroke_phases>("stroke_phases"),
    };
}

}  // namespace kinesphere
