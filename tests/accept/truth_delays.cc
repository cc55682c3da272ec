// What is served where labels come late: asked as rows happen, learned some rows later.
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"
#include "tests/accept/truth.h"

namespace prequel::accept {
namespace {

constexpr double kWorse = 0.02;  // nats, that the default may be than standing still

// Mean −log p of the labels, as each row was answered at its time; `delay` rows later it is learned
// with that time.
double ServedNll(const DataFile& file, const std::string& dynamics, Index delay) {
  LearnerConfig config = file.config;
  config.dynamics.name = dynamics;
  Folding fold(config);
  const Batch& rows = file.rows;
  const auto at = [&](Index i) {
    Batch row = Slice(rows, i, 1);
    row.times = Vector::Constant(1, static_cast<double>(i));
    return row;
  };
  double nll = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    Batch asked = at(i);
    const double label = rows.targets(0, i);
    asked.targets.resize(0, 0);
    const double one = fold.Predict(asked)["probabilities"](1, 0);
    nll -= std::log(label > 0 ? one : 1 - one);
    if (i >= delay) fold.Learn(at(i - delay));
  }
  return nll / static_cast<double>(rows.rows());
}

}  // namespace

void TruthDelays(Report& report) {
  report.Section("Labels that come late");
  report.Describe(
      "Elec2, one row at a time: each is asked as it happens, and learned some rows later; its "
      "time "
      "is its place, in both. Mean −log p of the labels as it was served, by the default and by "
      "`static`.");
  const auto path = DataPath("streams/elec2.csv");
  if (!path) return report.Skip("elec2", "PREQUEL_DATA_DIR has no streams/");
  const DataFile file = ReadDataFile(*path, "y", "bernoulli");
  for (const Index delay : {0, 4, 48, 336}) {
    const double still = ServedNll(file, "static", delay);
    report.Add({absl::StrCat("elec2, ", delay, " rows late, nll by default"),
                ServedNll(file, "", delay), 0, still + kWorse, Direction::kAtMost,
                absl::StrCat("static ", still)});
  }
}

}  // namespace prequel::accept
