// Worlds that move, and some that do not, by default dynamics: predict, then learn.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"
#include "tests/accept/made_streams.h"
#include "tests/accept/moving.h"

namespace prequel::accept {
namespace {

constexpr std::uint64_t kSeeds = 5;

Scores Score(LearnerConfig config, const Batch& rows, Index size, const char* dynamics = "") {
  config.dynamics.name = dynamics;
  Folding fold(config);
  fold.LearnAll(rows, size);
  return fold.scores();
}

struct Bound {
  const char* score;
  double target;
  Direction direction = Direction::kAtMost;
};

// A file in order of time. `likelihood` empty: as is inferred from the file.
void AddFile(const char* name, const char* likelihood, Index size, const std::vector<Bound>& bounds,
             Report& report) {
  const std::string of = *likelihood == 0 ? "by default" : likelihood;
  const std::string title = absl::StrCat(name, ", ", of, ", ", size, " rows per minibatch");
  const auto path = DataPath(absl::StrCat("streams/", name, ".csv"));
  if (!path) return report.Skip(title, "PREQUEL_DATA_DIR has no streams/");
  const DataFile file = ReadDataFile(*path, "y", likelihood);
  const Scores scores = Score(file.config, file.rows, size);
  for (const Bound& bound : bounds) {
    report.Add({absl::StrCat(title, ": ", bound.score), scores[bound.score], 0, bound.target,
                bound.direction, "linear, default settings"});
  }
}

// NLL over seeds; `beside`: less that of these dynamics.
Mean NllOf(WeightPath path, bool classes, Index size, const char* dynamics, const char* beside) {
  std::vector<double> nll;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Batch rows = MadeRows(path, classes, seed);
    nll.push_back(Score(MadeConfig(classes), rows, size, dynamics)["nll"]);
    if (beside != nullptr) {
      nll.back() -= Score(MadeConfig(classes), rows, size, beside)["nll"];
    }
  }
  return MeanOf(nll);
}

void AddMade(const std::string& name, Mean mean, double target, Direction direction,
             Report& report) {
  report.Add({name, mean.value, mean.stderr_, target, direction,
              absl::StrCat(kMadeRows, " rows of ", kMadeInputs, " inputs, seeds 1 to ", kSeeds)});
}

}  // namespace

void MovingStreams(Report& report) {
  report.Section("Public streams in order of time, by default dynamics");
  const Direction at_least = Direction::kAtLeast, shown = Direction::kReported;
  AddFile("elec2", "bernoulli", 1, {{"nll", 0.155}, {"accuracy", 0.943, at_least}}, report);
  AddFile("elec2", "bernoulli", 8, {{"nll", 0.245}, {"accuracy", 0.903, at_least}}, report);
  AddFile("elec2", "bernoulli", 64, {{"nll", 0.40}, {"accuracy", 0.82, at_least}}, report);
  AddFile("pollution_beijing", "gaussian", 1, {{"nll", 4.30}, {"rmse", 25.8}}, report);
  AddFile("pollution_beijing", "gaussian", 64, {{"nll", 5.62}, {"rmse", 0, shown}}, report);
  // Whole numbers that vary more than their mean.
  AddFile("pollution_beijing", "", 1, {{"nll", 4.30}, {"rmse", 26.0}}, report);
  AddFile("pollution_beijing", "", 64, {{"nll", 5.62}, {"rmse", 0, shown}}, report);
  AddFile("trump_approval", "gaussian", 1, {{"nll", -0.10}, {"rmse", 0, shown}}, report);
  AddFile("trump_approval", "gaussian", 64, {{"nll", 0, shown}}, report);
  AddFile("phishing", "bernoulli", 1, {{"nll", 0.264}}, report);
  AddFile("phishing", "bernoulli", 64, {{"nll", 0, shown}}, report);
}

void MovingMade(Report& report) {
  report.Section("Made streams that move, row by row");
  report.Describe(
      "Linear with noise of deviation 0.5, which costs 0.726 nats: all weights are drawn anew "
      "every "
      "1,000 rows. Logistic: the weights turn by a full circle in 4,000 rows.");
  AddMade("linear, weights switch: NLL", NllOf(SwitchingWeights, false, 1, "", nullptr), 0.79,
          Direction::kAtMost, report);
  AddMade("the same, static", NllOf(SwitchingWeights, false, 1, "static", nullptr), 0,
          Direction::kReported, report);
  AddMade("logistic, rotating: NLL", NllOf(RotatingWeights, true, 1, "", nullptr), 0.375,
          Direction::kAtMost, report);
  AddMade("the same, static", NllOf(RotatingWeights, true, 1, "static", nullptr), 0,
          Direction::kReported, report);
}

void MovingStationary(Report& report) {
  report.Section("Worlds that stand still: NLL less that of static");
  for (const Index size : {Index{1}, Index{64}}) {
    const double most = size == 1 ? 0.001 : 0.0021;
    for (const bool classes : {false, true}) {
      AddMade(absl::StrCat(classes ? "logistic, " : "linear, ", size, " rows per minibatch"),
              NllOf(StillWeights, classes, size, "", "static"), most, Direction::kAtMost, report);
    }
    for (const char* name : {"kin8nm", "power_plant"}) {
      const std::string title = absl::StrCat(name, ", ", size, " rows per minibatch");
      const auto path = DataPath(absl::StrCat("uci/", name, ".csv"));
      if (!path) {
        report.Skip(title, "PREQUEL_DATA_DIR has no uci/");
        continue;
      }
      const DataFile file = ReadDataFile(*path, "y", "gaussian");
      std::vector<double> differences;
      for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const Batch rows = Pick(file.rows, Shuffled(file.rows.rows(), seed));
        differences.push_back(Score(file.config, rows, size)["nll"] -
                              Score(file.config, rows, size, "static")["nll"]);
      }
      const Mean mean = MeanOf(differences);
      report.Add({title, mean.value, mean.stderr_, most, Direction::kAtMost,
                  absl::StrCat(file.rows.rows(), " rows, seeds 1 to ", kSeeds)});
    }
  }
}

}  // namespace prequel::accept
