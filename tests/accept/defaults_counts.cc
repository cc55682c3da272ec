// Counts by default: calibrated, their dispersion recovered, and no answer absurd whatever inputs
// come.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/learner/belief.h"
#include "core/predictive/predictive.h"
#include "tests/accept/data_file.h"
#include "tests/accept/defaults.h"
#include "tests/accept/folding.h"
#include "tests/accept/uniform.h"

namespace prequel::accept {
namespace {

constexpr Index kInputs = 5, kRows = 64;  // of a minibatch
constexpr std::array<double, 3> kLevels = {0.5, 0.9, 0.95};

// y | x of mean λ = e^{b + w·x} and variance λ + α λ², w ~ N(0, 0.3²), x ~ N(0, 1). `leverage` is
// the share of rows whose inputs are scaled by 10 … 1000 after y was drawn.
struct Counts {
  double intercept = 2, dispersion = 0, leverage = 0;
};

class CountStream {
 public:
  CountStream(const Counts& counts, std::uint64_t seed) : counts_(counts), random_(seed) {
    std::normal_distribution<double> normal;
    for (double& weight : weights_) weight = 0.3 * normal(random_);
  }

  Batch Next() {
    Batch batch;
    batch.inputs.resize(kInputs, kRows);
    batch.targets.resize(1, kRows);
    for (Index i = 0; i < kRows; ++i) batch.targets(0, i) = DrawRow(batch.inputs.col(i));
    return batch;
  }
  double Uniform() { return std::uniform_real_distribution<double>()(random_); }

 private:
  double DrawRow(Eigen::Ref<Vector> inputs) {
    std::normal_distribution<double> normal;
    double log_rate = counts_.intercept;
    for (Index j = 0; j < kInputs; ++j) {
      inputs[j] = normal(random_);
      log_rate += weights_[static_cast<std::size_t>(j)] * inputs[j];
    }
    double rate = std::exp(log_rate);
    if (counts_.dispersion > 0) {
      const double shape = 1 / counts_.dispersion;
      rate *= std::gamma_distribution<double>(shape, counts_.dispersion)(random_);
    }
    if (Uniform() < counts_.leverage) inputs *= std::pow(10.0, 1 + 2 * Uniform());
    return rate > 0 ? static_cast<double>(std::poisson_distribution<std::int64_t>(rate)(random_))
                    : 0;
  }

  const Counts counts_;
  std::mt19937_64 random_;
  std::array<double, kInputs> weights_{};
};

LearnerConfig Defaults(const std::string& likelihood) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = kInputs}};
  config.target.name = "y";
  config.likelihood.name = likelihood;
  return config;
}

// As the belief that stands still has learned it.
double DispersionOf(const Folding& model) {
  const NoiseState& noise = model.state().beliefs.front().noise;
  return noise.rate[0] / noise.shape[0];
}

// The randomised probability integral transform, P(Y < y) + u P(Y = y), is uniform on [0, 1] where
// the predictive is right.
class Calibration {
 public:
  // REQUIRES: `model` has learned the batch, and nothing since.
  void See(Folding& model, const Batch& batch, CountStream& stream) {
    for (Index i = 0; i < batch.rows(); ++i) {
      const double y = batch.targets(0, i);
      const Distribution& predicted = model.predicted().RawAt(0, i);
      const double upto = predicted.Cdf(y), below = y > 0 ? predicted.Cdf(y - 1) : 0;
      values_.push_back(below + stream.Uniform() * (upto - below));
    }
  }

  // Share of rows in the central interval of that level.
  double Coverage(double level) const {
    const auto inside = std::count_if(values_.begin(), values_.end(),
                                      [=](double u) { return std::abs(u - 0.5) <= 0.5 * level; });
    return static_cast<double>(inside) / static_cast<double>(values_.size());
  }
  double Distance() const { return DistanceFromUniform(values_); }

 private:
  std::vector<double> values_;
};

std::string Name(const Counts& counts, const std::string& likelihood) {
  return absl::StrCat(likelihood, ", simulated dispersion ", counts.dispersion, ", rate e^",
                      counts.intercept);
}

// The first tenth of the rows is learned unseen by the calibration.
void CheckCalibrated(const Counts& counts, const std::string& likelihood, Report& report) {
  constexpr Index kMinibatches = 160;
  CountStream stream(counts, 11);
  Folding model(Defaults(likelihood));
  Calibration calibration;
  for (Index b = 0; b < kMinibatches; ++b) {
    const Batch batch = stream.Next();
    model.Learn(batch);
    if (b >= kMinibatches / 10) calibration.See(model, batch, stream);
  }
  const std::string name = Name(counts, likelihood);
  const std::string setting = absl::StrCat(kMinibatches * kRows, " rows, 64 at a time");
  for (const double level : kLevels) {
    report.Add({.name = absl::StrCat(name, ": coverage of ", 100 * level, " %, off by"),
                .value = std::abs(calibration.Coverage(level) - level),
                .target = 0.02,
                .setting = setting});
  }
  report.Add({.name = absl::StrCat(name, ": Kolmogorov–Smirnov distance of the PIT"),
              .value = calibration.Distance(),
              .target = 1.95,
              .setting = setting});
  const Scores raw = model.state().evaluation.raw.cumulative.Average();
  report.Add({.name = absl::StrCat(name, ": rmse of means as served, over the model's own"),
              .value = model.scores()["rmse"] / raw["rmse"],
              .target = 1.005,
              .setting = setting});
}

// Mean of log(α̂/α) over seeds, and how far a single run is off.
void CheckDispersion(double dispersion, Report& report) {
  constexpr int kSeeds = 5;
  std::vector<double> ratios;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    CountStream stream({.intercept = 2, .dispersion = dispersion}, 100 + seed);
    Folding model(Defaults("negative_binomial"));
    for (Index b = 0; b < 128; ++b) model.Learn(stream.Next());
    ratios.push_back(std::log(DispersionOf(model) / dispersion));
  }
  const Mean mean = MeanOf(ratios);
  report.Add({.name = absl::StrCat("dispersion ", dispersion, " learned, |mean log ratio|"),
              .value = std::abs(mean.value),
              .stderr_ = mean.stderr_,
              .target = 0.1,
              .setting = "8,192 rows, 5 seeds, rate e²"});
}

// Poisson counts of low rates: what a dispersion that is learned in vain costs.
void CheckPoisson(Report& report) {
  CountStream stream({.intercept = 0}, 21);
  Folding learned(Defaults("negative_binomial")), poisson(Defaults("poisson"));
  for (Index b = 0; b < 128; ++b) {
    const Batch batch = stream.Next();
    learned.Learn(batch);
    poisson.Learn(batch);
  }
  report.Add({.name = "Poisson counts: negative_binomial's nll over poisson's",
              .value = learned.scores()["nll"] - poisson.scores()["nll"],
              .target = 0.005,
              .setting = "8,192 rows of rate 1"});
  report.Add({.name = "Poisson counts: dispersion learned",
              .value = DispersionOf(learned),
              .target = 0.05,
              .setting = "8,192 rows of rate 1"});
}

// Inputs that lie 10 to 1000 times further out than others, one row in twenty; then none.
void CheckLeverage(const Counts& counts, const std::string& likelihood, Report& report) {
  constexpr Index kMinibatches = 1600, kAfter = 160;
  CountStream stream(counts, 31);
  CountStream sound({.intercept = counts.intercept, .dispersion = counts.dispersion}, 31);
  Folding model(Defaults(likelihood)), other(Defaults(likelihood));
  double worst_mean = 0, worst_nll = 0;
  for (Index b = 0; b < kMinibatches; ++b) {
    const Batch batch = stream.Next();
    if (b > 0) {
      const Answer answer = model.Predict(batch, {.queries = {{"moments", {}}}});
      const double largest = std::max(1.0, model.state().targets.largest[0]);
      worst_mean = std::max(worst_mean, answer["mean"].maxCoeff() / largest);
    }
    worst_nll = std::max(worst_nll, model.Learn(batch).scores["nll"]);
  }
  double after = 0, alone = 0;
  for (Index b = 0; b < kAfter; ++b) {
    const Batch batch = sound.Next();
    after += model.Learn(batch).scores["nll"] / kAfter;
    alone += other.Learn(batch).scores["nll"] / kAfter;
  }
  const std::string name = absl::StrCat("leverage: ", Name(counts, likelihood));
  const std::string setting = "102,400 rows, one in 20 with inputs × 10 … 1000";
  report.Add({.name = absl::StrCat(name, ": greatest mean over the largest count"),
              .value = worst_mean,
              .target = 5,
              .setting = setting});
  report.Add({.name = absl::StrCat(name, ": worst minibatch's nll"),
              .value = worst_nll,
              .target = 1e3,
              .setting = setting});
  report.Add({.name = absl::StrCat(name, ": nll"),
              .value = model.scores()["nll"],
              .target = 10,
              .setting = setting});
  report.Add({.name = absl::StrCat(name, ": nll of sound rows after, over one that saw only them"),
              .value = after - alone,
              .direction = Direction::kReported,
              .setting = "10,240 rows"});
}

// Hourly PM2.5 is whole, skewed and far from Poisson: what `create --from-csv` makes of it.
void CheckStream(Report& report) {
  const std::optional<std::string> path = DataPath("streams/pollution_beijing.csv");
  if (!path.has_value()) return report.Skip("pollution_beijing", "no PREQUEL_DATA_DIR");
  for (const std::string likelihood : {"", "gaussian", "negative_binomial", "poisson"}) {
    DataFile file = ReadDataFile(*path, "y", likelihood);
    Folding model(file.config);
    ForEachMinibatch(file.rows, 64, [&](const Batch& batch) { model.Learn(batch); });
    const Scores scores = model.scores();
    const std::string& name = model.learner().config().likelihood.name;
    const std::string of = likelihood.empty() ? "by default " + name : name;
    const bool bounded = likelihood.empty();
    report.Add({.name = absl::StrCat("pollution_beijing, ", of, ": nll"),
                .value = scores["nll"],
                .target = 6,
                .direction = bounded ? Direction::kAtMost : Direction::kReported,
                .setting = "row after row, 64 at a time"});
    report.Add({.name = absl::StrCat("pollution_beijing, ", of, ": rmse"),
                .value = scores["rmse"],
                .target = 80,
                .direction = bounded ? Direction::kAtMost : Direction::kReported,
                .setting = "row after row, 64 at a time"});
  }
}

}  // namespace

void DefaultsCounts(Report& report) {
  report.Section("Counts by default");
  report.Describe(
      "Five inputs, a linear log rate, nothing configured but the likelihood. Calibration is by "
      "the "
      "randomised probability integral transform, P(Y < y) + u P(Y = y) with u uniform, which is "
      "uniform where the predictive is right, however few counts there are.");
  CheckCalibrated({.intercept = 0}, "poisson", report);
  CheckCalibrated({.intercept = 3}, "poisson", report);
  CheckCalibrated({.intercept = 0, .dispersion = 1}, "negative_binomial", report);
  CheckCalibrated({.intercept = 5.3, .dispersion = 0.3}, "negative_binomial", report);
  for (const double dispersion : {0.1, 0.3, 1.0, 3.0, 8.0}) CheckDispersion(dispersion, report);
  CheckPoisson(report);
  CheckLeverage({.intercept = 2, .leverage = 0.05}, "poisson", report);
  CheckLeverage({.intercept = 2, .dispersion = 0.5, .leverage = 0.05}, "negative_binomial", report);
  CheckStream(report);
}

}  // namespace prequel::accept
