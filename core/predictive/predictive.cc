#include "core/predictive/predictive.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <variant>

namespace prequel {
namespace {

// log(e^a + e^b), which does not underflow when both exponentials do.
double LogAdd(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return low == high ? high + std::numbers::ln2 : high + std::log1p(std::exp(low - high));
}

}  // namespace

void Predictive::Reset(const Likelihood& likelihood) {
  likelihood_ = &likelihood;
  num_members_ = num_beliefs_ = num_parts_ = 0;
  classes_ready_ = calibrated_ready_ = raw_ = false;
  calibration_ = nullptr;
}

void Predictive::Calibrate(const CalibrationState& state) {
  const bool empty = state.classes.empty() && state.intervals.empty();
  calibration_ = empty ? nullptr : &state;
  levels_.clear();
  for (Index o = 0; o < state.intervals.shifts.cols(); ++o) {
    levels_.emplace_back(state.intervals, o);
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

Predictive::Range Predictive::All() {
  weights_.resize(num_parts_);
  for (std::size_t p = 0; p < num_parts_; ++p) {
    weights_[p] = beliefs_[parts_[p].belief].weight * parts_[p].share;
  }
  return {0, num_parts_};
}

Predictive::Range Predictive::Of(std::size_t belief) {
  const std::size_t begin = beliefs_[belief].first_part;
  const std::size_t end = belief + 1 < num_beliefs_ ? beliefs_[belief + 1].first_part : num_parts_;
  weights_.resize(end - begin);
  for (std::size_t p = begin; p < end; ++p) weights_[p - begin] = parts_[p].share;
  return {begin, end};
}

// p = Σ_k w_k p_k, in logarithms where p_k underflows.
template <ClassLikelihood L>
void Predictive::Mix(const L& likelihood, Range range, bool wants_entropy) {
  ClassPredictive& mixed = classes_;
  classes_.wants_entropy = member_classes_.wants_entropy = wants_entropy;
  likelihood.Probabilities(members_[parts_[range.begin].member], mixed);
  if (range.end - range.begin == 1) return;
  mixed.probabilities *= weights_[0];
  mixed.expected_entropy *= weights_[0];
  mixed.log_probabilities.array() += std::log(weights_[0]);
  for (std::size_t p = range.begin + 1; p < range.end; ++p) {
    const double weight = weights_[p - range.begin];
    likelihood.Probabilities(members_[parts_[p].member], member_classes_);
    mixed.probabilities += weight * member_classes_.probabilities;
    mixed.expected_entropy += weight * member_classes_.expected_entropy;
    member_classes_.log_probabilities.array() += std::log(weight);
    mixed.log_probabilities =
        mixed.log_probabilities.binaryExpr(member_classes_.log_probabilities, &LogAdd);
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
  marginals.mixed.Assign({marginals.members, weights_}, location, scale);
  return marginals.mixed;
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
        if constexpr (ClassLikelihood<L>) Mix(likelihood, All(), wants_entropy);
      },
      *likelihood_);
  classes_ready_ = true;
  return classes_;
}

const Distribution& Predictive::At(Index output, Index example) {
  const Distribution& own = RawAt(output, example);
  if (calibration_ == nullptr || raw_) return own;
  calibrated_.Assign(own, Levels(output));
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

void Predictive::LogDensities(const Matrix& targets, Matrix& out) {
  out.setZero(static_cast<Index>(num_beliefs_), targets.cols());
  classes_ready_ = false;
  const auto add = [&]<class L>(const L& likelihood, Index k, Range range) {
    if constexpr (ClassLikelihood<L>) Mix(likelihood, range, false);
    for (Index i = 0; i < targets.cols(); ++i) {
      for (Index o = 0; o < targets.rows(); ++o) {
        if constexpr (ClassLikelihood<L>) {
          out(k, i) = classes_.log_probabilities(static_cast<Index>(targets(0, i)), i);
        } else {
          out(k, i) += Mix(likelihood, range, o, i).LogDensity(targets(o, i));
        }
      }
    }
  };
  std::visit(
      [&](const auto& likelihood) {
        for (std::size_t k = 0; k < num_beliefs_; ++k) {
          add(likelihood, static_cast<Index>(k), Of(k));
        }
      },
      *likelihood_);
}

void Predictive::Logits(Index example, Vector& mean, Matrix& covariance) const {
  const Index logits = num_logits();
  mean.setZero(logits);
  covariance.setZero(logits, logits);
  const auto weight = [&](const Part& p) { return beliefs_[p.belief].weight * p.share; };
  for (std::size_t p = 0; p < num_parts_; ++p) {
    const Part& part = parts_[p];
    const LogitMoments& member = members_[part.member];
    const NoiseLevel& noise = beliefs_[part.belief].noise;
    mean += weight(part) * member.mean.col(example);
    if (member.exact()) continue;
    Matrix own = member.covariance.middleCols(example * logits, logits);
    if (noise.is_unit) own.array().colwise() *= noise.variance.array();
    covariance += weight(part) * own;
  }
  for (std::size_t p = 0; p < num_parts_; ++p) {
    const Vector deviation = members_[parts_[p].member].mean.col(example) - mean;
    covariance += weight(parts_[p]) * deviation * deviation.transpose();
  }
}

}  // namespace prequel
