// Predictors that know nothing of the inputs: what a model has to beat to be worth its while.
//   last     the last target again. Of classes it has the probability at which a last label has
//   come
//            true so far, and the others share the rest; of values it is a normal around it, as
//            wide as a last value has been wrong so far
//   average  of classes their frequencies so far; of values a normal of their mean and variance
// Both see the targets of earlier minibatches, as the model does. Counts are normals rounded to
// whole numbers.
#pragma once

#include "core/linalg/types.h"
#include "core/scores/tally.h"

namespace prequel {

struct ReferenceState {
  double seen = 0;    // rows
  double judged = 0;  // of these, rows that `last` has predicted
  Vector last;        // T: of the last row; of classes the index. Empty before the first
  Vector counts;      // of classes: C, rows of each, and
  double kept = 0;    // rows whose label was `last`
  Vector errors;      // of values, T: Σ (y − last)², and
  Vector mean;        //   the mean so far, and
  Vector squares;     //   Σ (y − mean)²

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("seen", s.seen);
    a.Value("judged", s.judged);
    a.Value("last", s.last);
    a.Value("counts", s.counts);
    a.Value("kept", s.kept);
    a.Value("errors", s.errors);
    a.Value("mean", s.mean);
    a.Value("squares", s.squares);
  }
};

struct ReferenceScratch {
  Matrix probabilities, log_probabilities;  // C × B
  Vector weights;                           // of some rows
  Vector of_last;                           // C
};

class References {
 public:
  // OfClasses is for targets that are classes, OfValues for `outputs` outputs, which may be counts.
  static References OfClasses(Index classes) { return References(classes, 1, false); }
  static References OfValues(Index outputs, bool counts) { return References(0, outputs, counts); }

  ReferenceState Fresh() const;
  bool IsSound(const ReferenceState& state) const;

  // Score adds the scores of both for targets, T × B: values in their units, or indices of classes,
  // each as often as `weights` says (B; empty: once).
  // `scale`, T, is how wide a value is thought to be at first; a count is as wide as large. Before
  // the first value nothing is added; of classes all are equal then. Allocates nothing once grown.
  void Score(const ReferenceState& state, const Matrix& targets, const Vector& weights,
             const Vector& scale, ReferenceScratch& scratch, Tally& last, Tally& average) const;

  // LastClass and LastDeviation are what `last` says of each row of the next minibatch: of classes
  // their probabilities, C, all alike before the first label; of values how wide it is around the
  // last one of an output, where `scale` is how wide a value is thought to be at first.
  void LastClass(const ReferenceState& state, Vector& probabilities) const;
  double LastDeviation(const ReferenceState& state, Index output, double scale) const;

  // Absorb folds the rows in. A minibatch whose sums no double can hold leaves them as they were.
  // Allocates nothing after the first.
  void Absorb(const Matrix& targets, ReferenceState& state) const;

 private:
  References(Index classes, Index outputs, bool counts)
      : classes_(classes), outputs_(outputs), counts_(counts) {}

  void AbsorbClasses(const Matrix& targets, ReferenceState& state) const;
  void AbsorbValues(const Matrix& targets, ReferenceState& state) const;

  Index classes_, outputs_;  // classes_ is 0 of values
  bool counts_;
};

}  // namespace prequel
