// How often an alarm is raised where nothing changes, and how soon where the weights do.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/random/philox.h"
#include "tests/accept/folding.h"
#include "tests/accept/truth.h"

namespace prequel::accept {
namespace {

constexpr Index kInputs = 4, kSize = 64;
constexpr Index kRows = 100'000;  // where nothing changes
constexpr std::uint64_t kSeeds = 3;
constexpr Index kBefore = 10'000, kAfter = 4'000;  // where all weights do, between the two

// What is drawn for one row beside its inputs: normal numbers, and one uniform one.
struct Luck {
  ConstVectorRef normal;
  double uniform = 0;
};

// What a kind of data makes of f(x), linear in the inputs.
struct Kind {
  const char* name;
  const char* likelihood;
  double (*target)(double f, const Luck& luck);
  void (*input)(Matrix& inputs) = nullptr;
};

double StudentT3(const Luck& luck) {
  return luck.normal[0] / std::sqrt(luck.normal.tail(3).squaredNorm() / 3);
}

double Logistic(double f) { return 1 / (1 + std::exp(-f)); }

double PoissonOf(double rate, double uniform) {
  double chance = std::exp(-rate), sum = chance, count = 0;
  while (sum < uniform && count < 1000) {
    chance *= rate / ++count;
    sum += chance;
  }
  return count;
}

double NormalTarget(double f, const Luck& luck) { return f + luck.normal[0]; }
double StudentTTarget(double f, const Luck& luck) { return f + StudentT3(luck); }
double ExponentialTarget(double f, const Luck& luck) { return f - std::log(luck.uniform); }
double RoundedTarget(double f, const Luck& luck) { return std::round(f + luck.normal[0]); }
double LognormalTarget(double f, const Luck& luck) { return std::exp(f + luck.normal[0]); }
double AmountTarget(double f, const Luck& luck) {
  return luck.uniform < 0.8 ? 0 : std::exp(f + luck.normal[0]);
}
double EvenClass(double f, const Luck& luck) { return luck.uniform < Logistic(f) ? 1 : 0; }
double RareClass(double f, const Luck& luck) { return luck.uniform < Logistic(f - 7) ? 1 : 0; }
double OneOfThree(double f, const Luck& luck) {
  const double total = std::exp(-f) + 1 + std::exp(f), at = luck.uniform * total;
  return at < std::exp(-f) ? 0 : at < std::exp(-f) + 1 ? 1 : 2;
}
double Count(double f, const Luck& luck) { return PoissonOf(std::exp(1 + 0.3 * f), luck.uniform); }

void MakeOneLognormal(Matrix& inputs) { inputs.row(0) = (1.5 * inputs.row(0).array()).exp() / 5; }
void MakeHeavyTailed(Matrix& inputs) {
  Matrix squares(3 * inputs.rows(), inputs.cols());
  FillNormal(Stream{5, 0, 9}, squares);
  for (Index j = 0; j < inputs.rows(); ++j) {
    const auto thirds = squares.middleRows(3 * j, 3).colwise().squaredNorm() / 3;
    inputs.row(j).array() /= thirds.array().sqrt();
  }
}

constexpr Kind kKinds[] = {
    {"normal", "gaussian", NormalTarget},
    {"noise of Student-t, 3 degrees of freedom", "gaussian", StudentTTarget},
    {"exponential noise", "gaussian", ExponentialTarget},
    {"values rounded to integers", "gaussian", RoundedTarget},
    {"one lognormal input", "gaussian", NormalTarget, MakeOneLognormal},
    {"inputs of Student-t, 3 degrees of freedom", "gaussian", NormalTarget, MakeHeavyTailed},
    {"lognormal values", "gaussian", LognormalTarget},
    {"amounts, eight of ten 0", "gaussian", AmountTarget},
    {"two classes, even", "bernoulli", EvenClass},
    {"two classes, 1 in 500", "bernoulli", RareClass},
    {"three classes", "categorical", OneOfThree},
    {"counts", "poisson", Count},
};

LearnerConfig ConfigOf(const Kind& kind) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = kInputs}};
  config.likelihood.name = kind.likelihood;
  if (kind.target == OneOfThree) config.target.num_classes = 3;
  return config;
}

// Rows of a kind; from row `change` on with other weights.
Batch Draw(const Kind& kind, Index rows, Index change, std::uint64_t seed) {
  Batch all;
  all.inputs.resize(kInputs, rows);
  FillNormal(Stream{seed, 0, 1}, all.inputs);
  if (kind.input != nullptr) kind.input(all.inputs);
  Matrix normal(4, rows);
  FillNormal(Stream{seed, 0, 2}, normal);
  Vector uniform(rows);
  FillUniform(Stream{seed, 0, 3}, uniform);
  const Eigen::Vector4d before(1, 0.5, 0, -0.5), after(-0.5, 0.5, 1, 0.5);
  all.targets.resize(1, rows);
  for (Index i = 0; i < rows; ++i) {
    const double f = (i < change ? before : after).dot(all.inputs.col(i));
    all.targets(0, i) = kind.target(f, {normal.col(i), uniform[i]});
  }
  return all;
}

Batch MinibatchOf(const Batch& all, Index first) {
  const Index count = std::min(kSize, all.rows() - first);
  Batch batch;
  batch.inputs = all.inputs.middleCols(first, count);
  batch.targets = all.targets.middleCols(first, count);
  return batch;
}

// How often each cause was raised.
using Alarms = std::array<double, 3>;
constexpr const char* kCauses[] = {"inputs", "noise", "weights"};

Alarms AlarmsOf(const Kind& kind, std::uint64_t seed) {
  Folding fold(ConfigOf(kind));
  fold.LearnAll(Draw(kind, kRows, kRows, seed), kSize);
  const ChangeState& change = fold.state().change;
  const auto times = [](const AlarmState& alarm) { return static_cast<double>(alarm.times); };
  return {times(change.inputs), times(change.noise), times(change.weights)};
}

void AddStationary(const Kind& kind, Report& report) {
  std::array<std::vector<double>, 3> alarms;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Alarms of_seed = AlarmsOf(kind, seed);
    for (std::size_t c = 0; c < 3; ++c) alarms[c].push_back(of_seed[c]);
  }
  for (std::size_t c = 0; c < 3; ++c) {
    const Mean mean = MeanOf(alarms[c]);
    report.Add({absl::StrCat(kind.name, ": alarms of ", kCauses[c]), mean.value, mean.stderr_, 1,
                Direction::kAtMost, absl::StrJoin(alarms[c], ", ")});
  }
}

// Rows until the alarm of weights, by seed; −1 where there was none.
void AddDelay(const Kind& kind, Report& report) {
  std::vector<double> delays;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Folding fold(ConfigOf(kind));
    const Batch all = Draw(kind, kBefore + kAfter, kBefore, seed);
    double delay = -1;
    for (Index first = 0; first < all.rows() && delay < 0; first += kSize) {
      const Batch batch = MinibatchOf(all, first);
      fold.Learn(batch);
      const Index learned = first + batch.rows();
      if (learned > kBefore && fold.state().change.weights.raised) {
        delay = static_cast<double>(learned - kBefore);
      }
    }
    delays.push_back(delay);
  }
  std::sort(delays.begin(), delays.end());
  report.Add({absl::StrCat(kind.name, ": rows to the alarm of weights, median"), delays[1], 0, 0,
              Direction::kReported, absl::StrJoin(delays, ", ")});
}

}  // namespace

void TruthFalseAlarms(Report& report) {
  report.Section("Alarms where nothing changes");
  report.Describe(absl::StrFormat(
      "f = x₁ + ½ x₂ − ½ x₄ of four inputs, most of N(0, 1), by default, in minibatches of %d: "
      "alarms in %d rows, the mean of %d seeds.",
      kSize, kRows, kSeeds));
  for (const Kind& kind : kKinds) AddStationary(kind, report);
  report.Section("Rows from a change of all weights to its alarm");
  report.Describe(
      absl::StrFormat("f = −½ x₁ + ½ x₂ + x₃ + ½ x₄ after %d rows; %d seeds. −1: none in %d rows.",
                      kBefore, kSeeds, kAfter));
  for (const Kind& kind : kKinds) AddDelay(kind, report);
}

}  // namespace prequel::accept
