#include "core/predictive/query_set.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/config/error.h"
#include "core/config/registry.h"
#include "core/predictive/predictive.h"
#include "core/predictive/queries/query.h"

namespace prequel {

struct QuerySet::Parts {
  int samples = 0;
  Asked asked;
  std::vector<Query> queries;
};

namespace {

constexpr int kMaxSamples = 10000;

// The names of the queries that such a predictive answers; of those, if `by_default`, the ones that
// it answers unasked.
std::vector<std::string> NamesOf(const Asked& asked, bool by_default) {
  return [&]<class... Qs>(const std::variant<Qs...>*) {
    std::vector<std::string> names;
    const auto add = [&]<class Q>(const Q*) {
      if (Q::IsOf(asked) && (Q::kByDefault || !by_default)) names.emplace_back(Q::kName);
    };
    (add(static_cast<const Qs*>(nullptr)), ...);
    return names;
  }(static_cast<const Query*>(nullptr));
}

absl::StatusOr<Query> MakeQuery(const std::string& path, const ComponentConfig& config,
                                const Asked& asked) {
  if (config.name.empty()) {
    return FieldError(path + ".name",
                      absl::StrCat("must be one of ", absl::StrJoin(NamesOf(asked, false), ", ")));
  }
  absl::StatusOr<Query> query = MakeByName<Query>(path + ".name", config.name);
  if (!query.ok()) return query;
  const bool is_of = std::visit([&]<class Q>(const Q&) { return Q::IsOf(asked); }, *query);
  if (!is_of) {
    return FieldError(path + ".name",
                      absl::StrCat("is \"", config.name, "\", which is not of ",
                                   asked.classes ? "classes" : "values", "; this model answers ",
                                   absl::StrJoin(NamesOf(asked, false), ", ")));
  }
  Options options(path, config);
  absl::Status status = std::visit([&](auto& q) { return q.Configure(options); }, *query);
  if (!status.ok()) return status;
  return query;
}

}  // namespace

absl::StatusOr<QuerySet> QuerySet::Make(const PredictOptions& options, const Asked& asked) {
  if (options.samples < 0 || options.samples > kMaxSamples) {
    return FieldError("options.samples",
                      absl::StrCat("is ", options.samples, "; must be in [0, ", kMaxSamples, "]"));
  }
  auto parts = std::make_shared<Parts>();
  parts->samples = options.samples;
  parts->asked = asked;
  std::vector<ComponentConfig> queries = options.queries;
  if (queries.empty()) {
    for (const std::string& name : NamesOf(asked, true)) queries.push_back({name, {}});
  }
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::string path = absl::StrCat("options.queries[", i, "]");
    for (std::size_t j = 0; j < i; ++j) {
      if (queries[j].name != queries[i].name) continue;
      return FieldError(path + ".name",
                        absl::StrCat("is \"", queries[i].name, "\" a second time: ask once"));
    }
    absl::StatusOr<Query> query = MakeQuery(path, queries[i], asked);
    if (!query.ok()) return query.status();
    parts->queries.push_back(*std::move(query));
  }
  return QuerySet(std::move(parts));
}

int QuerySet::samples() const { return parts_->samples; }
const Asked& QuerySet::asked() const { return parts_->asked; }

Index QuerySet::numbers_per_example() const {
  Index numbers = 0;
  for (const Query& query : parts_->queries) {
    std::visit(
        [&](const auto& q) {
          for (const Output& output : q.Outputs(parts_->asked)) numbers += output.size();
        },
        query);
  }
  return numbers;
}

Answer QuerySet::Sized(Index examples) const {
  Answer answer;
  for (const Query& query : parts_->queries) {
    std::visit(
        [&](const auto& q) {
          for (Output& output : q.Outputs(parts_->asked)) {
            output.values.resize(output.size(), examples);
            answer.outputs.push_back(std::move(output));
          }
        },
        query);
  }
  return answer;
}

void QuerySet::Fill(Predictive& predictive, Index first, Answer& answer) const {
  const bool wants_entropy =
      std::any_of(parts_->queries.begin(), parts_->queries.end(), [](const Query& query) {
        return std::visit([]<class Q>(const Q&) { return Q::kWantsEntropy; }, query);
      });
  if (wants_entropy) predictive.Classes(true);  // once, for all
  std::span<Output> left(answer.outputs);
  for (const Query& query : parts_->queries) {
    std::visit(
        [&](const auto& q) {
          q.Fill(predictive, first, left);
          left = left.subspan(q.Outputs(parts_->asked).size());
        },
        query);
  }
}

}  // namespace prequel
