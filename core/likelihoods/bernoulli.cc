#include "core/likelihoods/bernoulli.h"

#include <algorithm>
#include <cmath>

#include "core/config/field_error.h"
#include "core/distributions/sigmoid_normal.h"

namespace prequel {
namespace {

// Normals are the logits of examples `start` and following; lanes past the last are N(0, 0).
struct Normals {
  Lane m = Lane::Zero(), s = Lane::Zero();
  Index count;

  Normals(const LogitMoments& moments, Index start)
      : count(std::min(kLanes, moments.mean.cols() - start)) {
    for (Index j = 0; j < count; ++j) {
      m[j] = moments.mean(0, start + j);
      if (!moments.exact()) s[j] = std::max(moments.covariance(0, start + j), 0.0);
    }
    s = s.sqrt();
  }
};

}  // namespace

void Bernoulli::CompleteTarget(TargetConfig& target) {
  if (target.labels.empty() && target.num_classes == 0) target.num_classes = 2;
}

absl::Status Bernoulli::Configure(Options& options, const TargetConfig& target) {
  options.Describe("two classes");
  const auto labels = static_cast<Index>(target.labels.size());
  if (labels != 0 && labels != 2) {
    return FieldError("config.target.labels", "must name two classes for bernoulli");
  }
  if (target.num_classes != 0 && target.num_classes != 2) {
    return FieldError("config.target.num_classes",
                      "must be 2 for bernoulli; categorical takes more");
  }
  return options.Finish();
}

std::string_view Bernoulli::TargetProblem(double y) const {
  return y == 0 || y == 1 ? "" : "class 0 or 1";
}

void Bernoulli::Expand(const LogitMoments& moments, ConstMatrixRef targets, const NoiseLevel&,
                       LocalExpansion& expansion) const {
  const Index examples = moments.mean.cols();
  expansion.score.resize(1, examples);
  expansion.root.resize(1, examples);
  expansion.log_density = 0;
  SigmoidExpectations e;
  for (Index start = 0; start < examples; start += kLanes) {
    const Normals f(moments, start);
    ExpectSigmoid(f.m, f.s, {.log_sigmoid = true}, e);
    const Lane root = e.curvature.sqrt();
    for (Index j = 0; j < f.count; ++j) {
      const bool is_one = targets(0, start + j) != 0;
      expansion.log_density +=
          expansion.weight(start + j) * (e.log_sigmoid[j] - (is_one ? 0 : f.m[j]));
      expansion.score(0, start + j) = is_one ? e.zero[j] : -e.one[j];
      expansion.root(0, start + j) = root[j];
    }
  }
}

void Bernoulli::Probabilities(const LogitMoments& moments, ClassPredictive& predictive) const {
  const Index examples = moments.mean.cols();
  predictive.probabilities.resize(2, examples);
  predictive.log_probabilities.resize(2, examples);
  predictive.expected_entropy.resize(examples);
  const SigmoidWants wants{.log_sigmoid = predictive.wants_entropy,
                           .moment = predictive.wants_entropy,
                           .log_probabilities = true};
  SigmoidExpectations e;
  for (Index start = 0; start < examples; start += kLanes) {
    const Normals f(moments, start);
    ExpectSigmoid(f.m, f.s, wants, e);
    for (Index j = 0; j < f.count; ++j) {
      predictive.probabilities.col(start + j) << e.zero[j], e.one[j];
      predictive.log_probabilities.col(start + j) << e.log_zero[j], e.log_one[j];
      // H(σ(f)) = −log σ(f) + f σ(−f).
      predictive.expected_entropy[start + j] = std::max(e.moment[j] - e.log_sigmoid[j], 0.0);
    }
  }
}

}  // namespace prequel
