// What a model predicts of B examples: a weighted mixture over its beliefs, in the units of the
// targets.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/calibration/calibration.h"
#include "core/distributions/class_predictive.h"
#include "core/distributions/distribution.h"
#include "core/distributions/mixed_counts.h"
#include "core/distributions/mixture.h"
#include "core/distributions/student_t_rows.h"
#include "core/likelihoods/likelihood.h"
#include "core/linalg/types.h"
#include "core/predictive/believed.h"
#include "core/predictive/condensed.h"

namespace prequel {

// TargetUnits are those of each output: target = location + scale · what the model learns; 0 and 1
// of classes and counts.
struct TargetUnits {
  Vector location, scale;  // T
};

// Predictive is a mixture of the likelihood's predictives over members, each the logits of all
// examples under one belief: one member of a belief that is linearised, one per draw by Monte
// Carlo. Filled member by member, then asked. One thread at a time; nothing allocates once grown.
// Moments, and what of an entropy is epistemic, are of the beliefs that are believed (believed.h).
class Predictive {
 public:
  // Reset forgets what it held. `likelihood` outlives the use.
  void Reset(const Likelihood& likelihood);
  TargetUnits& units() { return units_; }
  // Calibrate says what probabilities, quantiles and mean counts are calibrated by, which outlives
  // the use; a state that is empty leaves them as they are.
  void Calibrate(const CalibrationState& state);
  // ServeRaw makes answers raw from here on, whatever has been given to calibrate by; or not.
  void ServeRaw(bool raw) { raw_ = raw; }
  // calibrates: whether there is anything to calibrate by; balances: whether means of counts are,
  // too.
  bool calibrates() const { return calibration_ != nullptr; }
  bool balances() const { return calibrates() && !calibration_->balance.empty(); }

  // AddBelief adds a belief; the weights of all are to sum to 1. Its members follow, with that
  // noise.
  void AddBelief(double weight, const NoiseLevel& noise);
  // AddTrack adds a belief with the members of the last one, but other noise: a track of it.
  void AddTrack(double weight, const NoiseLevel& noise);
  // AddMember adds a member of the last belief, with that share of the belief's weight, and returns
  // its logits, to be filled.
  LogitMoments& AddMember(double share);

  bool classes() const;
  Index num_examples() const { return members_.front().mean.cols(); }  // B
  Index num_logits() const { return members_.front().mean.rows(); }    // C
  Index num_targets() const;                                           // T
  // Whether every logit has a finite mean.
  bool IsFinite() const;
  // FirstNotFinite is the first example whose logits have a mean or a covariance that is not
  // finite, or that is so large that moments of the mixture are not; −1 when there is none.
  Index FirstNotFinite() const;

  // Classes is of all examples; the entropies only when wanted. Good until the next call that is
  // not for this. REQUIRES: classes().
  const ClassPredictive& Classes(bool wants_entropy);
  const ClassPredictive& RawClasses(bool wants_entropy);
  // At is of one output of one example. Good until the next call. REQUIRES: not classes().
  const Distribution& At(Index output, Index example);
  const Distribution& RawAt(Index output, Index example);
  // CondensedAt is At in fewer members where they are very many, for whoever asks for quantiles.
  const Distribution& CondensedAt(Index output, Index example);
  // Served returns `own`, which RawAt has just given, as At gives it.
  const Distribution& Served(const Distribution& own, Index output);
  // recalibrated is of all examples. REQUIRES: Classes has been called, and calibrates().
  const std::vector<RecalibratedRow>& recalibrated() const { return recalibrated_; }
  // REQUIRES: not classes(), calibrates().
  const ServedLevels& Levels(Index output) const {
    return levels_[static_cast<std::size_t>(output)];
  }

  // FirstClasses and FirstAt are of the first belief alone, with its first track; raw. REQUIRES:
  // there are several beliefs.
  const ClassPredictive& FirstClasses();
  const Distribution& FirstAt(Index output, Index example);

  // LogDensities writes log p_k(y_i) under each belief k alone, K × B. `targets`, T × B: values in
  // their units, or indices of classes. What is asked of all beliefs together about these outcomes
  // afterwards is known by then.
  void LogDensities(const Matrix& targets, Matrix& out);

  // Logits writes mean and covariance of one example's logits, of all members together by the law
  // of total covariance: C and C × C.
  void Logits(Index example, Vector& mean, Matrix& covariance);

 private:
  // Part is a member under the noise of a belief. Beliefs that differ in their noise alone share
  // members.
  struct Part {
    std::size_t member = 0, belief = 0;
    double share = 0;
  };
  struct Belief {
    double weight = 0;
    std::size_t first_part = 0;
    NoiseLevel noise;
  };
  // Marginals are those of members for one output of one example.
  template <class L>
  struct Marginals {};
  template <ValueLikelihood L>
  struct Marginals<L> {
    using D = decltype(std::declval<const L&>().Marginal({}, {}, 0, 0));
    std::vector<D> members;
    InUnits<D> one;
    InUnits<typename Mixed<D>::Type> mixed;
  };

  void AddPart(std::size_t member, double share);
  // Believe finds which beliefs moments are of.
  void Believe();
  bool IsFinite(const Part& part, Index example) const;

  // Range is of parts side by side in parts_, each with its weight.
  struct Range {
    std::size_t begin, end;
  };
  // All is the range of all parts, with their weights in the whole; Of that of one belief, with
  // their shares of it.
  Range All();
  Range Of(std::size_t belief);
  MixtureWeights RangeWeights() const { return {weights_, of_moments_}; }

  template <ClassLikelihood L>
  void Mix(const L& likelihood, bool wants_entropy);
  void MixLogs();
  template <ValueLikelihood L>
  const Distribution& Mix(const L& likelihood, Range range, Index output, Index example);
  template <ValueLikelihood L>
  const Distribution& MixCondensed(const L& likelihood, Index output, Index example);
  template <ValueLikelihood L>
  void LogDensitiesOf(const L& likelihood, const Matrix& targets, Matrix& out);
  template <ValueLikelihood L>
  void Observe(const L& likelihood, const Matrix& targets);

  const Likelihood* likelihood_ = nullptr;
  TargetUnits units_;
  std::vector<LogitMoments> members_;  // the first num_members_ of them are in use
  std::vector<Belief> beliefs_;        // the first num_beliefs_
  std::vector<Part> parts_;            // the first num_parts_
  std::size_t num_members_ = 0, num_beliefs_ = 0, num_parts_ = 0;

  // Observed holds what each part says of outcomes, of values.
  struct Observed {
    bool ready = false;
    Matrix y;                    // T × B, in the units that the model learns in
    Matrix log_densities, cdfs;  // parts × T·B
    std::vector<double> of_part, cdfs_of_part, y_of_part;  // of B rows
    StudentTRows rows;
  };

  std::vector<double> weights_, of_moments_;  // of the parts of a range
  std::vector<double> belief_weights_;
  Believed believed_;
  Observed observed_;
  Condensed condensed_;
  Likelihoods::Each<Marginals> marginals_;
  ClassPredictive classes_, member_classes_;
  std::vector<Matrix> belief_logs_;  // log probabilities under each belief, where there are several
  bool classes_ready_ = false;       // classes_ is of All(), with entropies when it wants them
  Matrix probabilities_;             // by the beliefs that moments are of
  Vector entropy_;                   // and what these expect on average

  const CalibrationState* calibration_ = nullptr;  // null: nothing is calibrated
  bool raw_ = false;
  std::vector<ServedLevels> levels_;  // T: of values
  std::vector<double> mean_factors_;  // T: of values
  Calibrated calibrated_;
  ClassPredictive calibrated_classes_;
  std::vector<RecalibratedRow> recalibrated_;  // B: of classes
  bool calibrated_ready_ = false;              // as classes_ready_
};

}  // namespace prequel
