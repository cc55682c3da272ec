// Whether columns are spread as they were: the inputs, or a model's errors.
//
// Each block of n rows has for each column z, numeric ones in deviations and held within ±c,
//   b = mean z,   s = log(1 + variance of z)
// that are compared with those of earlier blocks, about K of which are kept: with their mean μ and
// variance V over k blocks, a floor f for what a single row may do, and D statistics in all,
//   t = (x − μ)/√((V + f²)(1 + 1/k)),   p = 2 D F(−max |t|),   F of Student-t with k − 1 dof
// p is the chance that some statistic of a block like the earlier ones lies as far out, whatever
// the rows of a block have to do with each other. The alarm is raised by p < n·10⁻⁶, once in a
// million rows where nothing changes, and cleared by p > 0.05. A block that lies far out counts as
// if it lay three deviations out, so that what is new becomes the usual after a while.
//
// What is found is told in the units of the column, and not held within ±c: as it was in earlier
// blocks, and as it became in the block after the one that raised the alarm, in which some rows may
// still have been as before.
#pragma once

#include <cstdint>

#include "core/change/alarm.h"
#include "core/encoding/running_moments.h"
#include "core/linalg/types.h"

namespace prequel {

struct BlockWatchState {
  double seen = 0;        // rows, of which those of the young stream were passed over
  double rows = 0;        // of the block at hand
  Vector sums, squares;   // D: Σ z and Σ z² of these
  double blocks = 0;      // k
  Vector mean, variance;  // μ and V: of b of each column, then of s of numeric ones
  Vector whole, spread;  // the mean of numeric columns as they are in the block, and Σ (x − it)²
  bool just_raised = false;  // by the block before

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("seen", s.seen);
    a.Value("rows", s.rows);
    a.Value("sums", s.sums);
    a.Value("squares", s.squares);
    a.Value("blocks", s.blocks);
    a.Value("mean", s.mean);
    a.Value("variance", s.variance);
    a.Value("whole", s.whole);
    a.Value("spread", s.spread);
    a.Value("just_raised", s.just_raised);
  }
};

class BlockWatch {
 public:
  static constexpr Index kBlock = 128;         // n
  static constexpr double kMemory = 64;        // K
  static constexpr Index kMostColumns = 4096;  // the first ones; later ones are not watched
  static constexpr double kFirstRows = 1000;   // until running moments have settled
  static constexpr Thresholds kThresholds{.raise = 1 - 1e-6 * kBlock, .clear = 0.95};  // of 1 − p

  // BlockWatch watches `columns` columns, of which the first `numeric` are numeric and held within
  // ±clip.
  BlockWatch(Index columns, Index numeric, double clip = 5);

  Index size() const { return columns_; }

  BlockWatchState Fresh() const;
  bool IsSound(const BlockWatchState& state) const;

  // Absorb folds in rows: `inputs` are their numeric columns (× B), `moments` those of the inputs
  // before these rows, `encoded` all columns as they were encoded. `z` is scratch. Allocates
  // nothing once grown.
  void Absorb(const Matrix& inputs, const RunningMoments& moments, const Matrix& encoded,
              std::int64_t revision, Matrix& z, BlockWatchState& state, AlarmState& alarm) const;
  // Absorb of z (columns × B) folds in columns that are standardised already; what is found is told
  // in the units of z, and as it was in the block that raised the alarm.
  void Absorb(const Matrix& z, std::int64_t revision, BlockWatchState& state,
              AlarmState& alarm) const;

 private:
  void Standardize(const Matrix& inputs, const RunningMoments& moments, const Matrix& encoded,
                   Matrix& z) const;
  // Settled is false while the stream is young.
  bool Settled(double rows, BlockWatchState& state) const;
  // This Absorb does the work of both above: `inputs` and `units` are null for z alone.
  void Absorb(const Matrix& z, const Matrix* inputs, const RunningMoments* units,
              std::int64_t revision, BlockWatchState& state, AlarmState& alarm) const;
  void AddWhole(ConstVectorRef x, const RunningMoments& units, BlockWatchState& state) const;
  void EndBlock(const RunningMoments* units, std::int64_t revision, BlockWatchState& state,
                AlarmState& alarm) const;

  Index columns_, numeric_;
  double clip_;
};

}  // namespace prequel
