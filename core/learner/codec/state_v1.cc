#include "core/learner/codec/state_v1.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "core/config/registry.h"
#include "core/encoding/state_archive.h"
#include "core/learner/belief.h"

namespace prequel {
namespace {

struct TallyV1 {
  double weight = 0, nll = 0;
  double squared_error = 0, absolute_error = 0, crps = 0;
  double inside50 = 0, inside90 = 0, inside95 = 0;
  double correct = 0, brier = 0;
  std::array<double, kCalibrationBins> bin_weight{}, bin_confidence{}, bin_correct{};

  void Read(ArchiveReader& a) {
    for (double* sum : {&weight, &nll, &squared_error, &absolute_error, &crps, &inside50, &inside90,
                        &inside95, &correct, &brier}) {
      a.Value("sum", *sum);
    }
    for (auto* bins : {&bin_weight, &bin_confidence, &bin_correct}) a.Value("bins", *bins);
  }

  Tally Restored(TargetKind kind) const {
    Tally tally(kind);
    tally.RestoreWeight(weight);
    const std::pair<std::string_view, double> sums[] = {{"nll", nll},
                                                        {"rmse", squared_error},
                                                        {"mae", absolute_error},
                                                        {"crps", crps},
                                                        {"coverage50", inside50},
                                                        {"coverage90", inside90},
                                                        {"coverage95", inside95},
                                                        {"accuracy", correct},
                                                        {"brier", brier}};
    for (const auto& [name, sum] : sums) tally.Restore(name, weight, &sum, 1);
    std::array<double, 3 * kCalibrationBins> bins;
    for (std::size_t b = 0; b < kCalibrationBins; ++b) {
      bins[3 * b] = bin_weight[b];
      bins[3 * b + 1] = bin_confidence[b];
      bins[3 * b + 2] = bin_correct[b];
    }
    tally.Restore("ece", weight, bins.data(), bins.size());
    return tally;
  }
};

void ReadEvaluation(const Problem& problem, ArchiveReader& a, Evaluation& evaluation) {
  const TargetKind kind = problem.classes() ? TargetKind::kClasses : TargetKind::kValues;
  for (Tally* tally : {&evaluation.cumulative, &evaluation.window}) {
    TallyV1 v1;
    v1.Read(a);
    *tally = v1.Restored(kind);
  }
  a.Value("skipped_rows", evaluation.skipped_rows);
  a.Value("unscored_rows", evaluation.unscored_rows);
}

}  // namespace

void ReadStateV1(const Problem& problem, ArchiveReader& a, LearnerState& state) {
  Belief belief;
  a.Value("revision", state.revision);
  a.Value("examples", state.examples);
  a.Value("inputs", state.inputs);
  a.Value("targets", state.targets);
  a.Value("noise", belief.noise);
  ReadEvaluation(problem, a, state.evaluation);
  belief.dynamics = FreshState(problem.dynamics);
  a.Expect("posterior", NameOf(problem.prototype()));
  if (problem.storage == Storage::kFloat32) {
    a.Expect("rule", NameOf(problem.rule));
    a.Value("packed", belief.packed);
  } else {
    belief.posterior = problem.prototype();
    std::visit([&](auto& q) { a.Value("posterior", q); }, belief.posterior);
    a.Expect("rule", NameOf(problem.rule));
    belief.rule = FreshState(problem.rule);
    std::visit([&](auto& s) { a.Value("rule", s); }, belief.rule);
  }
  state.beliefs.clear();
  state.beliefs.push_back(std::move(belief));
}

}  // namespace prequel
