#include "core/predictive/query_set.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/config/by_name.h"
#include "core/config/field_error.h"
#include "core/predictive/predictive.h"
#include "core/predictive/queries/query.h"
#include "core/predictive/query_names.h"

namespace prequel {

struct QueryPart {
  Query query;
  std::vector<Output> outputs;  // with no example
};

struct QuerySet::Parts {
  int samples = 0;
  bool raw = false;
  bool scores = false;
  Asked asked;
  std::vector<QueryPart> parts;
  Index numbers_per_example = 0;
};

namespace {

constexpr int kMaxSamples = 10000;

absl::StatusOr<QueryPart> MakePart(const std::string& path, const ComponentConfig& config,
                                   const Asked& asked) {
  if (config.name.empty()) {
    return FieldError(path + ".name", absl::StrCat("must be one of ",
                                                   absl::StrJoin(QueryNames(asked, false), ", ")));
  }
  absl::StatusOr<Query> query = MakeByName<Query>(path + ".name", config.name);
  if (!query.ok()) return query.status();
  const bool is_of = std::visit([&]<class Q>(const Q&) { return Q::IsOf(asked); }, *query);
  if (!is_of) {
    return FieldError(path + ".name",
                      absl::StrCat("is \"", config.name, "\", which is not of ",
                                   asked.classes ? "classes" : "values", "; this model answers ",
                                   absl::StrJoin(QueryNames(asked, false), ", ")));
  }
  Options options(path, config);
  absl::Status status = std::visit([&](auto& q) { return q.Configure(options); }, *query);
  if (!status.ok()) return status;
  std::vector<Output> outputs = std::visit([&](const auto& q) { return q.Outputs(asked); }, *query);
  return QueryPart{*std::move(query), std::move(outputs)};
}

}  // namespace

absl::StatusOr<QuerySet> QuerySet::Make(const PredictOptions& options, const Asked& asked) {
  if (options.samples < 0 || options.samples > kMaxSamples) {
    return FieldError("options.samples",
                      absl::StrCat("is ", options.samples, "; must be in [0, ", kMaxSamples, "]"));
  }
  if (options.scores && !options.queries.empty()) {
    return FieldError("options.queries", "must be empty beside options.scores, which come instead");
  }
  if (options.scores && options.samples > 0) {
    return FieldError("options.samples",
                      "must be left out beside options.scores, which are of what is served");
  }
  if (options.scores && options.raw) {
    return FieldError("options.raw",
                      "must be left out beside options.scores, which are of what is "
                      "served");
  }
  auto parts = std::make_shared<Parts>();
  parts->samples = options.samples;
  parts->raw = options.raw;
  parts->scores = options.scores;
  parts->asked = asked;
  std::vector<ComponentConfig> queries = options.queries;
  if (queries.empty() && !options.scores) {
    for (const std::string& name : QueryNames(asked, true)) queries.push_back({name, {}});
  }
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::string path = absl::StrCat("options.queries[", i, "]");
    for (std::size_t j = 0; j < i; ++j) {
      if (queries[j].name != queries[i].name) continue;
      return FieldError(path + ".name",
                        absl::StrCat("is \"", queries[i].name, "\" a second time: ask once"));
    }
    absl::StatusOr<QueryPart> part = MakePart(path, queries[i], asked);
    if (!part.ok()) return part.status();
    for (const Output& output : part->outputs) parts->numbers_per_example += output.size();
    parts->parts.push_back(*std::move(part));
  }
  return QuerySet(std::move(parts));
}

int QuerySet::samples() const { return parts_->samples; }
bool QuerySet::raw() const { return parts_->raw; }
bool QuerySet::scores() const { return parts_->scores; }
const Asked& QuerySet::asked() const { return parts_->asked; }

Index QuerySet::numbers_per_example() const { return parts_->numbers_per_example; }

Answer QuerySet::Sized(Index examples) const {
  Answer answer;
  for (const QueryPart& part : parts_->parts) {
    answer.outputs.insert(answer.outputs.end(), part.outputs.begin(), part.outputs.end());
  }
  for (Output& output : answer.outputs) output.values.resize(output.size(), examples);
  return answer;
}

void QuerySet::Fill(Predictive& predictive, Index first, Answer& answer) const {
  const bool wants_entropy =
      std::any_of(parts_->parts.begin(), parts_->parts.end(), [](const QueryPart& part) {
        return std::visit([]<class Q>(const Q&) { return Q::kWantsEntropy; }, part.query);
      });
  predictive.ServeRaw(parts_->raw);
  if (wants_entropy) predictive.Classes(true);  // once, for all
  std::span<Output> left(answer.outputs);
  for (const QueryPart& part : parts_->parts) {
    std::visit([&](const auto& q) { q.Fill(predictive, first, left); }, part.query);
    left = left.subspan(part.outputs.size());
  }
}

}  // namespace prequel
