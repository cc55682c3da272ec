#include "core/predictive/predictive.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <tuple>
#include <variant>

namespace prequel {
namespace {

// LogAdd is log(e^a + e^b), which does not underflow when both exponentials do.
double LogAdd(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return low == high ? high + std::numbers::ln2 : high + std::log1p(std::exp(low - high));
}

// More parts than this are asked about outcomes one by one.
constexpr std::size_t kMostObserved = 64;
// More than this are condensed for whoever asks for quantiles.
constexpr std::size_t kMostWhole = 64;

}  // namespace

void Predictive::Reset(const Likelihood& likelihood) {
  likelihood_ = &likelihood;
  num_members_ = num_beliefs_ = num_parts_ = 0;
  classes_ready_ = calibrated_ready_ = raw_ = observed_.ready = false;
  calibration_ = nullptr;
}

void Predictive::Calibrate(const CalibrationState& state) {
  calibration_ = state.empty() ? nullptr : &state;
  levels_.clear();
  mean_factors_.clear();
  for (Index o = 0; o < state.intervals.shifts.cols(); ++o) {
    levels_.emplace_back(state.intervals, o);
    mean_factors_.push_back(state.balance.empty() ? 1 : MeanFactor(state.balance, o));
  }
}

void Predictive::AddBelief(double weight, const NoiseLevel& noise) {
  if (beliefs_.size() == num_beliefs_) beliefs_.emplace_back();
  Belief& belief = beliefs_[num_beliefs_++];
  belief.weight = weight;
  belief.first_part = num_parts_;
  belief.noise = noise;
}

void Predictive::AddTrack(double weight, const NoiseLevel& noise) {
  const std::size_t first = beliefs_[num_beliefs_ - 1].first_part, end = num_parts_;
  AddBelief(weight, noise);
  for (std::size_t p = first; p < end; ++p) AddPart(parts_[p].member, parts_[p].share);
}

void Predictive::AddPart(std::size_t member, double share) {
  if (parts_.size() == num_parts_) parts_.emplace_back();
  parts_[num_parts_++] = {member, num_beliefs_ - 1, share};
}

LogitMoments& Predictive::AddMember(double share) {
  if (members_.size() == num_members_) members_.emplace_back();
  AddPart(num_members_, share);
  members_[num_members_].doubted = false;
  return members_[num_members_++];
}

bool Predictive::classes() const {
  return std::visit([](const auto& likelihood) { return likelihood.kClasses; }, *likelihood_);
}

Index Predictive::num_targets() const {
  return std::visit([](const auto& likelihood) { return likelihood.num_targets(); }, *likelihood_);
}

bool Predictive::IsFinite() const {
  return std::all_of(members_.begin(), members_.begin() + static_cast<std::ptrdiff_t>(num_members_),
                     [](const LogitMoments& member) { return member.mean.allFinite(); });
}

Index Predictive::FirstNotFinite() const {
  const auto parts = std::span(parts_).first(num_parts_);
  for (Index i = 0; i < num_examples(); ++i) {
    const bool all = std::all_of(parts.begin(), parts.end(),
                                 [&](const Part& part) { return IsFinite(part, i); });
    if (!all) return i;
  }
  return -1;
}

bool Predictive::IsFinite(const Part& part, Index example) const {
  constexpr double kMost = 1e150;  // so that the square is finite, and sums of squares are
  const LogitMoments& member = members_[part.member];
  if (!(member.mean.col(example).array().abs() <= kMost).all()) return false;
  if (member.exact()) return true;
  const NoiseLevel& noise = beliefs_[part.belief].noise;
  const double unit = noise.is_unit ? noise.variance.maxCoeff() : 1;
  const Index logits = num_logits();
  const Eigen::Ref<const Matrix> own = member.covariance.middleCols(example * logits, logits);
  return (unit * own.array().abs() <= kMost * kMost).all();
}

void Predictive::Believe() {
  belief_weights_.clear();
  for (std::size_t k = 0; k < num_beliefs_; ++k) belief_weights_.push_back(beliefs_[k].weight);
  believed_.Assign(belief_weights_);
}

Predictive::Range Predictive::All() {
  Believe();
  weights_.resize(num_parts_);
  of_moments_.resize(num_parts_);
  for (std::size_t p = 0; p < num_parts_; ++p) {
    const double weight = beliefs_[parts_[p].belief].weight;
    weights_[p] = weight * parts_[p].share;
    of_moments_[p] = believed_.Weight(weight) * parts_[p].share;
  }
  return {0, num_parts_};
}

Predictive::Range Predictive::Of(std::size_t belief) {
  const std::size_t begin = beliefs_[belief].first_part;
  const std::size_t end = belief + 1 < num_beliefs_ ? beliefs_[belief + 1].first_part : num_parts_;
  weights_.resize(end - begin);
  for (std::size_t p = begin; p < end; ++p) weights_[p - begin] = parts_[p].share;
  of_moments_ = weights_;
  return {begin, end};
}

// Mix makes p = Σ_k w_k p_k, in logarithms where p_k underflows.
template <ClassLikelihood L>
void Predictive::Mix(const L& likelihood, bool wants_entropy) {
  All();
  belief_logs_.resize(std::max(belief_logs_.size(), num_beliefs_));
  classes_.wants_entropy = member_classes_.wants_entropy = wants_entropy;
  for (std::size_t p = 0; p < num_parts_; ++p) {
    const Part& part = parts_[p];
    const double weight = weights_[p], of_moments = of_moments_[p];
    ClassPredictive& own = p == 0 ? classes_ : member_classes_;
    likelihood.Probabilities(members_[part.member], own);
    if (num_parts_ == 1) return;
    // A part weighs its share within its belief, and in all where there is one belief.
    Matrix& logs = belief_logs_[part.belief];
    own.log_probabilities.array() += std::log(part.share);
    if (p == beliefs_[part.belief].first_part) {
      logs = own.log_probabilities;
    } else {
      logs = logs.binaryExpr(own.log_probabilities, &LogAdd);
    }
    if (wants_entropy) {
      if (p == 0) {
        probabilities_.setZero(own.probabilities.rows(), own.probabilities.cols());
        entropy_.setZero(own.probabilities.cols());
      }
      probabilities_ += of_moments * own.probabilities;
      entropy_ += of_moments * own.expected_entropy;
    }
    if (p == 0) classes_.probabilities *= weight;
    if (p > 0) classes_.probabilities += weight * own.probabilities;
  }
  MixLogs();
  if (!wants_entropy) return;
  if (believed_.all()) {
    classes_.expected_entropy = entropy_;
  } else {
    ExpectEntropy(probabilities_, entropy_, classes_);
  }
}

void Predictive::MixLogs() {
  if (num_beliefs_ == 1) {
    classes_.log_probabilities = belief_logs_.front();
    return;
  }
  constexpr double kLeast = 1e-200;
  classes_.log_probabilities = classes_.probabilities.array().log();
  for (Index j = 0; j < classes_.probabilities.size(); ++j) {
    if (classes_.probabilities.reshaped()[j] >= kLeast) continue;
    double& mixed = classes_.log_probabilities.reshaped()[j];
    mixed = -HUGE_VAL;
    for (std::size_t k = 0; k < num_beliefs_; ++k) {
      const double own = std::log(beliefs_[k].weight) + belief_logs_[k].reshaped()[j];
      mixed = std::isinf(own) ? mixed : LogAdd(mixed, own);
    }
  }
}

template <ValueLikelihood L>
const Distribution& Predictive::Mix(const L& likelihood, Range range, Index output, Index example) {
  auto& marginals = std::get<Marginals<L>>(marginals_);
  const auto of = [&](const Part& part) {
    return likelihood.Marginal(members_[part.member], beliefs_[part.belief].noise, output, example);
  };
  const double location = units_.location[output], scale = units_.scale[output];
  if (range.end - range.begin == 1) {
    marginals.one.Assign(of(parts_[range.begin]), location, scale);
    return marginals.one;
  }
  marginals.members.clear();
  for (std::size_t p = range.begin; p < range.end; ++p) {
    marginals.members.push_back(of(parts_[p]));
  }
  if constexpr (!L::kCounts) {
    if (observed_.ready && marginals.members.size() == num_parts_) {
      const Index column = example * observed_.y.rows() + output;
      const AtOutcome at = {.y = observed_.y(output, example),
                            .log_densities = &observed_.log_densities(0, column),
                            .cdfs = &observed_.cdfs(0, column)};
      marginals.mixed.Assign({marginals.members, RangeWeights(), at}, location, scale);
      return marginals.mixed;
    }
  }
  marginals.mixed.Assign({marginals.members, RangeWeights()}, location, scale);
  return marginals.mixed;
}

template <ValueLikelihood L>
const Distribution& Predictive::MixCondensed(const L& likelihood, Index output, Index example) {
  const Distribution& mixed = Mix(likelihood, All(), output, example);
  if constexpr (!L::kCounts) {
    if (num_parts_ > kMostWhole) {
      auto& marginals = std::get<Marginals<L>>(marginals_);
      condensed_.Assign(marginals.members, weights_);
      marginals.mixed.Assign({condensed_.members(), condensed_.weights()}, units_.location[output],
                             units_.scale[output]);
    }
  }
  return mixed;
}

const ClassPredictive& Predictive::Classes(bool wants_entropy) {
  if (calibration_ == nullptr || raw_) return RawClasses(wants_entropy);
  if (calibrated_ready_ && (calibrated_classes_.wants_entropy || !wants_entropy)) {
    return calibrated_classes_;
  }
  Recalibrate(calibration_->classes, RawClasses(wants_entropy), recalibrated_, calibrated_classes_);
  calibrated_ready_ = true;
  return calibrated_classes_;
}

const ClassPredictive& Predictive::RawClasses(bool wants_entropy) {
  if (classes_ready_ && (classes_.wants_entropy || !wants_entropy)) return classes_;
  std::visit(
      [&]<class L>(const L& likelihood) {
        if constexpr (ClassLikelihood<L>) Mix(likelihood, wants_entropy);
      },
      *likelihood_);
  classes_ready_ = true;
  return classes_;
}

const Distribution& Predictive::At(Index output, Index example) {
  return Served(RawAt(output, example), output);
}

const Distribution& Predictive::CondensedAt(Index output, Index example) {
  const Distribution& own = std::visit(
      [&]<class L>(const L& likelihood) -> const Distribution& {
        if constexpr (ValueLikelihood<L>) return MixCondensed(likelihood, output, example);
        std::abort();
      },
      *likelihood_);
  return Served(own, output);
}

const Distribution& Predictive::Served(const Distribution& own, Index output) {
  if (calibration_ == nullptr || raw_) return own;
  calibrated_.Assign(own, Levels(output), mean_factors_[static_cast<std::size_t>(output)]);
  return calibrated_;
}

const Distribution& Predictive::RawAt(Index output, Index example) {
  return std::visit(
      [&]<class L>(const L& likelihood) -> const Distribution& {
        if constexpr (ValueLikelihood<L>) return Mix(likelihood, All(), output, example);
        std::abort();
      },
      *likelihood_);
}

const ClassPredictive& Predictive::FirstClasses() {
  RawClasses(false);
  member_classes_.log_probabilities = belief_logs_.front();
  member_classes_.probabilities = belief_logs_.front().array().exp();
  return member_classes_;
}

const Distribution& Predictive::FirstAt(Index output, Index example) {
  return std::visit(
      [&]<class L>(const L& likelihood) -> const Distribution& {
        if constexpr (ValueLikelihood<L>) return Mix(likelihood, Of(0), output, example);
        std::abort();
      },
      *likelihood_);
}

template <ValueLikelihood L>
void Predictive::Observe(const L& likelihood, const Matrix& targets) {
  auto& members = std::get<Marginals<L>>(marginals_).members;
  Observed& o = observed_;
  const Index outputs = targets.rows(), rows = targets.cols();
  const auto parts = static_cast<Index>(num_parts_);
  o.y = (targets.colwise() - units_.location).array().colwise() / units_.scale.array();
  o.log_densities.resize(parts, outputs * rows);
  o.cdfs.resize(parts, outputs * rows);
  for (std::vector<double>* of_rows : {&o.of_part, &o.cdfs_of_part, &o.y_of_part}) {
    of_rows->resize(static_cast<std::size_t>(rows));
  }
  for (Index output = 0; output < outputs; ++output) {
    Vector::Map(o.y_of_part.data(), rows) = o.y.row(output).transpose();
    for (Index p = 0; p < parts; ++p) {
      const Part& part = parts_[static_cast<std::size_t>(p)];
      members.clear();
      for (Index i = 0; i < rows; ++i) {
        members.push_back(
            likelihood.Marginal(members_[part.member], beliefs_[part.belief].noise, output, i));
      }
      o.rows.Evaluate(members, o.y_of_part, o.of_part, o.cdfs_of_part);
      for (Index i = 0; i < rows; ++i) {
        o.log_densities(p, i * outputs + output) = o.of_part[static_cast<std::size_t>(i)];
        o.cdfs(p, i * outputs + output) = o.cdfs_of_part[static_cast<std::size_t>(i)];
      }
    }
  }
  o.ready = true;
}

template <ValueLikelihood L>
void Predictive::LogDensitiesOf(const L& likelihood, const Matrix& targets, Matrix& out) {
  observed_.ready = false;
  if constexpr (!L::kCounts) {
    if (num_parts_ == num_beliefs_ && num_parts_ <= kMostObserved) {
      Observe(likelihood, targets);
      const double log_scale = units_.scale.array().log().sum();
      for (Index i = 0; i < targets.cols(); ++i) {
        const auto of_row = observed_.log_densities.middleCols(i * targets.rows(), targets.rows());
        out.col(i) = of_row.rowwise().sum().array() - log_scale;
      }
      return;
    }
  }
  for (std::size_t k = 0; k < num_beliefs_; ++k) {
    const Range range = Of(k);
    for (Index i = 0; i < targets.cols(); ++i) {
      for (Index o = 0; o < targets.rows(); ++o) {
        out(static_cast<Index>(k), i) += Mix(likelihood, range, o, i).LogDensity(targets(o, i));
      }
    }
  }
}

void Predictive::LogDensities(const Matrix& targets, Matrix& out) {
  out.setZero(static_cast<Index>(num_beliefs_), targets.cols());
  if (!classes()) {
    std::visit(
        [&]<class L>(const L& likelihood) {
          if constexpr (ValueLikelihood<L>) LogDensitiesOf(likelihood, targets, out);
        },
        *likelihood_);
    return;
  }
  const ClassPredictive& mixed = RawClasses(false);
  for (std::size_t k = 0; k < num_beliefs_; ++k) {
    const Matrix& logs = num_parts_ == 1 ? mixed.log_probabilities : belief_logs_[k];
    for (Index i = 0; i < targets.cols(); ++i) {
      out(static_cast<Index>(k), i) = logs(static_cast<Index>(targets(0, i)), i);
    }
  }
}

void Predictive::Logits(Index example, Vector& mean, Matrix& covariance) {
  Believe();
  const Index logits = num_logits();
  mean.setZero(logits);
  covariance.setZero(logits, logits);
  const auto weight = [&](const Part& p) {
    return believed_.Weight(beliefs_[p.belief].weight) * p.share;
  };
  const auto parts = std::span(parts_).first(num_parts_);
  for (const Part& part : parts) {
    if (!(weight(part) > 0)) continue;
    const LogitMoments& member = members_[part.member];
    const NoiseLevel& noise = beliefs_[part.belief].noise;
    mean += weight(part) * member.mean.col(example);
    if (member.doubted) covariance.diagonal() += weight(part) * member.doubt.col(example);
    if (member.exact()) continue;
    Matrix own = member.covariance.middleCols(example * logits, logits);
    if (noise.is_unit) own.array().colwise() *= noise.variance.array();
    covariance += weight(part) * own;
  }
  for (const Part& part : parts) {
    if (!(weight(part) > 0)) continue;
    const Vector deviation = members_[part.member].mean.col(example) - mean;
    covariance += weight(part) * deviation * deviation.transpose();
  }
}

}  // namespace prequel
