// All dynamics, with every posterior that they move, over a million rows that are hard on it: what
// is believed stays positive definite and finite.
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/dynamics/dynamics.h"
#include "core/learner/belief.h"
#include "core/learner/learner.h"
#include "core/posteriors/posterior.h"
#include "core/random/philox.h"
#include "tests/accept/in_parallel.h"
#include "tests/accept/moving.h"
#include "tests/accept/or_die.h"
#include "tests/core/dense_kronecker.h"

namespace prequel::accept {
namespace {

constexpr std::int64_t kRows = 1'000'000;
constexpr Index kFewRows = 4;  // of a minibatch, of models that hold several beliefs
constexpr std::int64_t kCheckEvery = 50;

// A matrix that is positive definite where the covariance of q is: that, or the precision, where q
// holds one. Only its lower triangle is filled.
Matrix Spread(const FullGaussian& q) { return q.covariance; }
Matrix Spread(const DiagonalGaussian& q) { return q.precision.asDiagonal(); }
Matrix Spread(const SubsetGaussian& q) { return q.part.covariance; }
Matrix Spread(const KroneckerGaussian& q) { return Covariance(q); }
Matrix Spread(const LowRankGaussian& q) {
  Matrix precision = q.factor * q.factor.transpose();
  precision.diagonal() += q.diagonal;
  return precision;
}
Matrix Spread(const BlockDiagonalGaussian& q) {
  std::vector<Matrix> blocks;
  for (const auto& block : q.blocks) blocks.push_back(block.covariance);
  return BlockDiagonal(blocks);
}
Matrix Spread(const PerUnitGaussian& q) {
  std::vector<Matrix> blocks;
  for (const auto& unit : q.units) blocks.push_back(unit.covariance);
  return BlockDiagonal(blocks);
}
Matrix Spread(const LowRankHiddenGaussian& q) {
  Matrix hidden = q.factor * q.factor.transpose();
  hidden.diagonal() += q.floor;
  return BlockDiagonal({hidden, q.covariance});
}

// The least eigenvalue of a matrix scaled to a unit diagonal, which has its sign and is within what
// rounding leaves of it, however far apart the scales of the weights are. Not above 0 unless all is
// finite.
double LeastEigenvalue(const Matrix& lower) {
  if (!Matrix(lower.triangularView<Eigen::Lower>()).allFinite()) return -1;
  const double least = lower.diagonal().minCoeff();
  if (!(least > 0)) return least;
  const Vector scale = lower.diagonal().cwiseSqrt().cwiseInverse();
  const Matrix scaled = scale.asDiagonal() * lower * scale.asDiagonal();
  return Eigen::SelfAdjointEigenSolver<Matrix>(scaled, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .minCoeff();
}

// A stream of cycles of 100,000 rows, of a line or of two classes:
//   30,000  two inputs that are nearly the same one
//   30,000  the same row again and again
//    2,000  bursts: both inputs and values are a thousand times as large as ever, in one row of ten
//   38,000  nothing is told of the inputs' weights, for the inputs are 0
// and then as much time passes as between a million rows.
class HardStream {
 public:
  // With `gaps` the first input of one row in seven is missing.
  HardStream(bool classes, bool gaps, Index rows) : classes_(classes), gaps_(gaps) {
    batch_.inputs.resize(2, rows);
    batch_.targets.resize(1, rows);
    batch_.times.resize(rows);
    draws_.resize(3 * rows);
  }

  const Batch& At(std::int64_t step) {
    const Index rows = batch_.inputs.cols();
    FillNormal(Stream{71, static_cast<std::uint64_t>(step), 0}, draws_);
    for (Index i = 0; i < rows; ++i) SetRow(step * rows + i, draws_.segment(3 * i, 3), i);
    return batch_;
  }

 private:
  static constexpr std::int64_t kCycle = 100'000, kAlike = 30'000, kConstant = 60'000,
                                kBursts = 62'000;
  static constexpr double kPause = 1e6, kNearly = 1e-4, kLarge = 1000;

  void SetRow(std::int64_t row, const Vector& z, Index i) {
    const std::int64_t at = row % kCycle;
    const bool burst = at >= kConstant && at < kBursts && at % 10 == 0;
    const double size = burst ? kLarge : 1;
    double a = z[0], b = a + kNearly * z[1];
    if (at >= kAlike) a = 1, b = -0.5;
    if (at >= kConstant) a = z[0], b = z[1];
    if (at >= kBursts) a = b = 0;
    const double y = a - b + 0.3 + 0.5 * z[2];
    batch_.inputs(0, i) = gaps_ && at % 7 == 0 ? std::nan("") : size * a;
    batch_.inputs(1, i) = size * b;
    batch_.targets(0, i) = classes_ ? (y > 0 ? 1 : 0) : size * y;
    const auto pauses = row / kCycle;  // so far
    batch_.times[i] = static_cast<double>(row) + kPause * static_cast<double>(pauses);
  }

  bool classes_, gaps_;
  Batch batch_;
  Vector draws_;
};

struct Case {
  std::string dynamics, posterior;
  bool classes = false;
  Index rows = 1;  // of a minibatch
  // Inputs and targets are in running units, so that beliefs are carried over to others again and
  // again, and some inputs are missing.
  bool carried = false;
};

struct Survival {
  double rows = 0;
  double least = std::numeric_limits<double>::infinity();  // eigenvalue
  std::string end;                                         // why no further; empty: it went on
};

LearnerConfig ConfigOf(const Case& of) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = 2}};
  config.likelihood.name = of.classes ? "bernoulli" : "gaussian";
  config.dynamics.name = of.dynamics;
  if (of.dynamics == Restart::kName) config.dynamics.options["runs"] = 3.0;
  config.posterior.name = of.posterior;
  config.rule.name = "rvga";
  config.features.front().allow_missing = of.carried;
  if (!of.carried) config.standardize_inputs = Standardize::kNone;  // met as they are
  if (of.posterior == DiagonalGaussian::kName || of.posterior == FullGaussian::kName) return config;
  if (of.posterior == LowRankGaussian::kName) {
    config.posterior.options["rank"] = 2.0;
    return config;
  }
  config.model = {"mlp", {{"hidden", std::vector<double>{2}}}};
  if (of.posterior == SubnetworkGaussian::kName) config.posterior.options["size"] = 5.0;
  if (of.posterior == LowRankHiddenGaussian::kName) {
    config.rule.name = "hilofi";
    config.posterior.options["rank"] = 3.0;
  }
  if (of.posterior == KroneckerGaussian::kName) {
    config.rule = {"vogn", {{"mode", std::string("dataset")}, {"dataset_size", 1e4}}};
  }
  return config;
}

// Empty where all is sound.
std::string ProblemOf(const LearnerState& state, double& least) {
  for (const Belief& belief : state.beliefs) {
    const bool finite = std::visit([](const auto& q) { return q.IsFinite(); }, belief.posterior);
    if (!finite) return "not finite";
    if (!(belief.noise.rate.array() > 0).all() || !belief.noise.rate.allFinite() ||
        !belief.noise.shape.allFinite()) {
      return "noise that is none";
    }
    if (state.revision % kCheckEvery != 0) continue;
    const double eigenvalue = std::visit(
        []<class Q>(const Q& q) {
          if constexpr (Q::kHasVariance) return LeastEigenvalue(Spread(q));
          return 1.0;
        },
        belief.posterior);
    least = std::min(least, eigenvalue);
    if (!(eigenvalue > 0)) return absl::StrCat("an eigenvalue of ", eigenvalue);
  }
  return "";
}

Survival Survive(const Case& of) {
  const Learner learner = OrDie(Learner::Create(ConfigOf(of)));
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  HardStream stream(of.classes, of.carried, of.rows);
  Survival survival;
  for (std::int64_t step = 0; step < kRows / of.rows; ++step) {
    const absl::StatusOr<Learned> learned = learner.Update(state, stream.At(step), scratch, next);
    survival.end = learned.ok() ? ProblemOf(next, survival.least) : learned.status().ToString();
    if (!survival.end.empty()) break;
    std::swap(state, next);
    survival.rows += static_cast<double>(of.rows);
  }
  return survival;
}

// Every dynamics with every posterior that it moves.
std::vector<Case> Cases() {
  std::vector<Case> cases;
  const auto add = [&]<class T, class Q>(const T*, const Q*) {
    // One that has no recursive mode has no dynamics but static.
    constexpr bool kRecursive = !std::same_as<Q, KroneckerGaussian>;
    if constexpr (Q::kHasVariance && AppliesTo<T, Q> && (kRecursive || !T::kMoves)) {
      constexpr bool kSeveral = std::same_as<T, Adaptive> || std::same_as<T, Restart>;
      for (const bool classes : {false, true}) {
        cases.push_back({std::string(T::kName), std::string(Q::kName), classes,
                         kSeveral ? kFewRows : Index{1}});
        if (std::same_as<T, Static> || std::same_as<T, Adaptive>) {
          cases.push_back(cases.back());
          cases.back().carried = true;
        }
      }
    }
  };
  const auto with = [&]<class T, class... Qs>(const T* dynamics, const std::variant<Qs...>*) {
    (add(dynamics, static_cast<const Qs*>(nullptr)), ...);
  };
  [&]<class... Ts>(const std::variant<Ts...>*) {
    (with(static_cast<const Ts*>(nullptr), static_cast<const Posterior*>(nullptr)), ...);
  }(static_cast<const Dynamics*>(nullptr));
  return cases;
}

}  // namespace

void MovingLongRun(Report& report) {
  report.Section("Rows learned with positive definite posteriors");
  report.Describe(
      "Every dynamics with every posterior that it moves, by default options but for three runs of "
      "`restart`, of a linear model of "
      "two inputs or a network of two units. The rows come in cycles: two inputs that are nearly "
      "one, the same row for long, bursts a thousand times as large, no information for long, and "
      "a pause of a million rows. Carried over: units of inputs and targets move, and one input in "
      "seven is missing. Eigenvalues are of covariances or precisions with a unit "
      "diagonal.");
  const std::vector<Case> cases = Cases();
  std::vector<Survival> survived(cases.size());
  InParallel(cases.size(), [&](std::size_t k) { survived[k] = Survive(cases[k]); });
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Case& of = cases[k];
    const std::string name =
        absl::StrCat(of.dynamics, ", ", of.posterior, ", ", of.classes ? "bernoulli" : "gaussian",
                     of.carried ? ", carried over" : "");
    report.Add({name, survived[k].rows, 0, kRows, Direction::kAtLeast,
                absl::StrCat("minibatches of ", of.rows, ", least eigenvalue ", survived[k].least,
                             survived[k].end.empty() ? "" : "; then ", survived[k].end)});
  }
}

}  // namespace prequel::accept
