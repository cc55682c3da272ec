// Steps to the mean-field optimum: natural gradients against gradients in (m, log σ).
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/random/philox.h"
#include "tests/accept/data_file.h"
#include "tests/accept/logistic.h"
#include "tests/accept/rules.h"
#include "tests/accept/svg_plot.h"
#include "tests/core/belief_of.h"

namespace prequel::accept {
namespace {

constexpr int kMostSteps = 300;
constexpr int kHold = 20;      // steps
constexpr double kGap = 0.01;  // nats per row above the optimum
constexpr std::uint64_t kSeeds = 5;
constexpr double kSamples = 10;

struct Contender {
  std::string name;
  bool natural;
  std::vector<ComponentConfig> settings;
};

const std::vector<double> kSizes = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3};

// The last one is what the natural gradients are to beat.
std::vector<Contender> Contenders() {
  using Word = std::string;
  Contender von{"von", true, {}}, vogn{"vogn", true, {}}, svi{"natural_gradient_svi", true, {}},
      bbb{"bbb", false, {}};
  for (const double size : kSizes) {
    for (const double initial : {0.01, 0.1, 1.0}) {
      von.settings.push_back({"von",
                              {{"beta", size},
                               {"initial_curvature", initial},
                               {"expectation", Word("monte_carlo")},
                               {"samples", kSamples}}});
    }
    svi.settings.push_back({"natural_gradient_svi", {{"alpha", size}, {"samples", kSamples}}});
    for (const double beta2 : {0.9, 0.99, 0.999}) {
      vogn.settings.push_back(
          {"vogn",
           {{"alpha", size}, {"beta2", beta2}, {"curvature", Word("ggn")}, {"samples", kSamples}}});
      bbb.settings.push_back({"bbb", {{"alpha", size}, {"beta2", beta2}, {"samples", kSamples}}});
    }
  }
  return {von, vogn, svi, bbb};
}

// −ELBO/N above the optimum after each step; empty when the rule diverges.
std::vector<double> Gaps(const LogisticData& data, const Batch& rows, double optimum,
                         const ComponentConfig& rule, std::uint64_t seed) {
  LearnerConfig config = LogisticConfig(data, rows, {"diagonal", {}}, rule);
  config.seed = seed;
  const Problem problem = *Problem::Make(config);
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  std::vector<double> gaps;
  for (int t = 0; t < kMostSteps; ++t) {
    if (!learner.Update(state, rows, scratch, next).ok()) return {};
    std::swap(state, next);
    gaps.push_back(NegativeElbo(data, problem, rows, BeliefOf(state).posterior) - optimum);
  }
  return gaps;
}

// The first step from which the gap stays within kGap for kHold steps; kMostSteps when there is
// none.
double StepsToGap(const std::vector<double>& gaps) {
  int held = 0;
  for (std::size_t t = 0; t < gaps.size(); ++t) {
    held = gaps[t] <= kGap ? held + 1 : 0;
    if (held == kHold) return static_cast<double>(t + 2) - kHold;
  }
  return kMostSteps;
}

double OptimumOf(const LogisticData& data, const Batch& rows) {
  LearnerConfig config = LogisticConfig(data, rows, {"diagonal", {}}, {"von", {{"beta", 0.1}}});
  Folding fold(config);
  for (int t = 0; t < 600; ++t) fold.Learn(rows);
  return NegativeElbo(data, *Problem::Make(config), rows, BeliefOf(fold.state()).posterior);
}

// The setting of the fewest steps over `seeds`.
ComponentConfig BestSetting(const Contender& contender, const LogisticData& data,
                            const Batch& rows) {
  const double optimum = OptimumOf(data, rows);
  double least = std::numeric_limits<double>::infinity();
  ComponentConfig best = contender.settings.front();
  for (const ComponentConfig& setting : contender.settings) {
    std::vector<double> steps;
    for (std::uint64_t seed = 101; seed <= 103; ++seed) {
      steps.push_back(StepsToGap(Gaps(data, rows, optimum, setting, seed)));
    }
    if (const double mean = MeanOf(steps).value; mean < least) {
      least = mean;
      best = setting;
    }
  }
  return best;
}

std::string Describe(const ComponentConfig& setting) {
  std::string out;
  for (const auto& [name, value] : setting.options) {
    const double* number = std::get_if<double>(&value);
    if (number != nullptr) out += absl::StrFormat(" %s %g", name, *number);
  }
  return out;
}

struct Outcome {
  Contender contender;
  Mean steps;
  std::string setting;
};

void AddData(std::optional<LogisticData> data, const char* name, Report& report) {
  if (!data) return report.Skip(name, "PREQUEL_DATA_DIR has no such file");
  data->precision = data->bias_precision = 1;
  const Division halves = SplitInHalves(data->rows, 1);
  const double optimum = OptimumOf(*data, halves.test);
  SvgPlot plot(absl::StrFormat("%s: mean-field logistic regression", name),
               "steps over all rows, ten draws each", "-ELBO/N above the optimum, nats per row");
  plot.Level("wanted", kGap);
  std::vector<Outcome> outcomes;
  for (const Contender& contender : Contenders()) {
    const ComponentConfig setting = BestSetting(contender, *data, halves.train);
    std::vector<double> steps, axis;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const std::vector<double> gaps = Gaps(*data, halves.test, optimum, setting, seed);
      steps.push_back(StepsToGap(gaps));
      if (seed > 1) continue;
      for (std::size_t t = 0; t < gaps.size(); ++t) axis.push_back(static_cast<double>(t + 1));
      plot.Line(contender.name, axis, gaps);
    }
    outcomes.push_back(
        {contender, MeanOf(steps),
         absl::StrFormat("seeds 1-%d,%s", static_cast<int>(kSeeds), Describe(setting))});
  }
  const double bound = outcomes.back().steps.value;  // of the one that is not natural
  for (const Outcome& o : outcomes) {
    report.Add({absl::StrFormat("%s, steps of %s", name, o.contender.name), o.steps.value,
                o.steps.stderr_, o.contender.natural ? bound : kMostSteps - 1, Direction::kAtMost,
                o.setting});
  }
  report.Figure(absl::StrFormat("convergence_%s.svg", name), plot.ToString());
}

// 400 weights under N(0, I), times a logistic factor per row: twice as many rows as weights, in two
// halves; the scales of the columns go from 0.1 to 1.
LogisticData Gaussian400() {
  constexpr Index kWeights = 400, kRows = 800;
  LogisticData data{.name = "gaussian_400"};
  Matrix& inputs = data.rows.inputs;
  inputs.resize(kWeights - 1, kRows);
  FillNormal(Stream{400, 0, 0}, inputs);
  for (Index k = 0; k < inputs.rows(); ++k) {
    inputs.row(k) *= std::pow(10.0, -static_cast<double>(k) / static_cast<double>(kWeights - 2));
  }
  Vector weights(inputs.rows()), uniform(kRows);
  FillNormal(Stream{400, 0, 1}, weights);
  FillUniform(Stream{400, 0, 2}, uniform);
  const Vector logits = inputs.transpose() * weights;
  data.rows.targets =
      (uniform.array() < 1 / (1 + (-logits.array()).exp())).cast<double>().matrix().transpose();
  return data;
}

}  // namespace

void RulesConvergence(Report& report) {
  report.Section("Convergence: natural gradients and gradients");
  report.Describe(
      "Steps over all rows until -ELBO/N comes within 0.01 nats per row of the mean-field optimum "
      "and stays there for 20 steps, from N(0, I). Every rule draws ten samples a step: with one, "
      "natural_gradient_svi, whose curvature is then mostly noise, needs more steps than bbb. Its "
      "step size (and, of vogn and bbb, beta2; of von, initial_curvature) is the one of 0.001 ... "
      "0.3 (0.9, 0.99, 0.999; 0.01, 0.1, 1) with the fewest steps on one random half of the rows; "
      "the steps are of the other half. bbb is "
      "Adam on (m, log sigma); the natural gradients are to need no more steps than it. "
      "gaussian_400: the target is "
      "a 400-dimensional N(0, I) times 400 logistic factors, drawn at random.");
  AddData(Australian(), "australian", report);
  AddData(BreastCancer(), "breast_cancer", report);
  AddData(Gaussian400(), "gaussian_400", report);
}

}  // namespace prequel::accept
