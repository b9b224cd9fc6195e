// Where performances are in a batch, and frames that lie some time before others.
#pragma once

#include "maths/binding.hpp"
#include "maths/rotations.hpp"

namespace kinesphere {

// Where the P performances of a batch are.
struct BatchRows {
    Ints<1> starts;  // (P,) first frame
    Ints<1> counts;  // (P,) frames
    Bools<1> loops;  // (P,) whether it is periodic

    Index longest() const {
        Index most_frames = 0;
        for (Index s = 0; s < counts.shape[0]; ++s) most_frames = most(most_frames, counts(s));
        return most_frames;
    }
};

// Two of a performance's own frames.
struct FramePair {
    Index a, b;
};

// A delay by so many frames: `share` of the way from one frame to the next.
struct Delay {
    Index whole;
    double share;

    explicit Delay(double frames) {
        const double down = std::floor(-frames);
        whole = static_cast<Index>(down);
        share = -frames - down;
    }

    // The frames between which lies what frame `i` shows.
    FramePair frames(Index i, Index count, bool loop) const {
        const Index a = i + whole;
        if (loop) {
            const Index period = most(count - 1, Index{1});
            return {modulo(a, period), modulo(a + 1, period)};
        }
        return {least(most(a, Index{0}), count - 1), least(most(a + 1, Index{0}), count - 1)};
    }

    double between(double first, double second) const { return (1.0 - share) * first + share * second; }
    Vec3 between(Vec3 first, Vec3 second) const { return (1.0 - share) * first + share * second; }
};

}  // namespace kinesphere

FIELDS(kinesphere::BatchRows, &kinesphere::BatchRows::starts, &kinesphere::BatchRows::counts,
       &kinesphere::BatchRows::loops);
