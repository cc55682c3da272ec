#include "client/cli/output/running_scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace prequel::cli {
namespace {

// The wire does not say how the scores of two minibatches become that of both. Averages over
// examples stand here; any other score is left out rather than averaged wrongly, `ece` among them:
// errors of calibration cancel between minibatches.
constexpr std::array<std::string_view, 10> kMeans = {
    "nll",        "mae",     "crps",    "coverage50", "coverage90",
    "coverage95", "below05", "above95", "accuracy",   "brier"};

bool IsRootMeanSquare(std::string_view name) { return name == "rmse"; }

bool IsAdditive(std::string_view name) {
  return IsRootMeanSquare(name) || std::ranges::find(kMeans, name) != kMeans.end();
}

// A score as a sum over `examples`, and back.
double ToSum(const v1::Score& score, double examples) {
  return examples *
         (IsRootMeanSquare(score.name()) ? score.value() * score.value() : score.value());
}
double FromSum(const std::string& name, double sum, double examples) {
  return IsRootMeanSquare(name) ? std::sqrt(sum / examples) : sum / examples;
}

}  // namespace

v1::Scores Average(const std::deque<v1::Scores>& parts) {
  struct Sum {
    std::string name;
    double sum = 0, examples = 0;
  };
  v1::Scores average;
  std::vector<Sum> sums;  // in the order of first appearance
  for (const v1::Scores& part : parts) {
    average.set_examples(average.examples() + part.examples());
    if (part.examples() <= 0) continue;
    for (const v1::Score& score : part.scores()) {
      if (!IsAdditive(score.name())) continue;
      auto sum = std::find_if(sums.begin(), sums.end(),
                              [&](const Sum& s) { return s.name == score.name(); });
      if (sum == sums.end()) sum = sums.insert(sums.end(), {score.name()});
      sum->sum += ToSum(score, part.examples());
      sum->examples += part.examples();
    }
  }
  for (const Sum& sum : sums) {
    v1::Score* score = average.add_scores();
    score->set_name(sum.name);
    score->set_value(FromSum(sum.name, sum.sum, sum.examples));
  }
  return average;
}

void RunningScores::Add(const v1::Scores& scores) {
  total_ = Average({total_, scores});
  recent_.push_back(scores);
  if (recent_.size() > window_) recent_.pop_front();
}

void WriteScores(const v1::Scores& scores, JsonWriter& json) {
  json.BeginObject().Key("examples").Number(scores.examples());
  if (scores.examples() > 0) {
    for (const v1::Score& score : scores.scores()) json.Key(score.name()).Number(score.value());
  }
  json.EndObject();
}

}  // namespace prequel::cli
