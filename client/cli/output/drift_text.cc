#include "client/cli/output/drift_text.h"

#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/output/table.h"

namespace prequel::cli {
namespace {

// Rate writes a rate as it was chosen: 0.001, 1e-05, 10.
std::string Rate(double rate) { return absl::StrFormat("%.3g", rate); }

std::string TracksText(const v1::Drift& drift) {
  std::vector<std::string> weights;
  for (const v1::NoiseTrack& track : drift.noise_tracks()) {
    weights.push_back(absl::StrCat(Number(track.weight()), " at ", Rate(track.rate())));
  }
  return absl::StrCat("noise forgets at these rates a row: ", absl::StrJoin(weights, ", "), "\n");
}

}  // namespace

std::string DriftText(const v1::GetEvaluationResponse& evaluation) {
  if (!evaluation.has_drift()) return "";
  const v1::Drift& drift = evaluation.drift();
  Table table({"drift", "rate", "intercept", "weight"});
  for (const v1::BeliefWeight& belief : drift.beliefs()) {
    const bool still = belief.rate() == 0 && belief.intercept_rate() == 0;
    const char* name = belief.since_restart() ? "since restart" : still ? "still" : "drifting";
    table.Add({name, Rate(belief.rate()), Rate(belief.intercept_rate()), Number(belief.weight())});
  }
  if (drift.beliefs_size() > 1) {
    table.Add({"on average", Rate(drift.rate()), Rate(drift.intercept_rate()), ""});
  }
  std::string text = absl::StrCat("\n", table.Text());
  if (!drift.noise_tracks().empty()) text += TracksText(drift);
  if (drift.has_restart()) {
    absl::StrAppend(&text, "a restart within the last ",
                    Count(std::llround(drift.restart().window())),
                    " rows: ", Number(drift.restart().probability()), "; the likeliest run has ",
                    Count(std::llround(drift.restart().run_length()), "row", "rows"), "\n");
  }
  return text;
}

std::string ChangeText(const v1::Alarm& alarm) {
  if (alarm.cause() == "weights") return "beliefs that move, or a restart, predict best";
  const bool noise = alarm.cause() == "noise";
  if (!noise && alarm.cause() != "inputs") return alarm.cause();
  return absl::StrCat("the ", alarm.moment(), " of ", noise ? "the noise" : alarm.column(), " was ",
                      Number(alarm.before()), " and became ", Number(alarm.after()));
}

std::string AlarmText(const v1::GetEvaluationResponse& evaluation) {
  std::string text;
  for (const v1::Alarm& alarm : evaluation.alarms()) {
    if (!alarm.raised()) continue;
    absl::StrAppend(&text, "changed since revision ", Count(alarm.revision()), ": ",
                    ChangeText(alarm), "\n");
  }
  return text;
}

}  // namespace prequel::cli
