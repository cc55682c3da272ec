// The closed set of queries: questions to a predictive. Adding one is one new file and one word in
// the set.
#pragma once

#include <concepts>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/predictive/answer.h"
#include "core/predictive/predictive.h"
#include "core/predictive/queries/asked.h"
#include "core/predictive/queries/entropy.h"
#include "core/predictive/queries/interval.h"
#include "core/predictive/queries/logits.h"
#include "core/predictive/queries/moments.h"
#include "core/predictive/queries/probabilities.h"
#include "core/predictive/queries/quantiles.h"

namespace prequel {

// A query is its options. It sees a predictive, and nothing behind it.
template <class Q>
concept QueryType = requires(Q& q, const Q& c, Options& options, const Asked& asked,
                             Predictive& predictive, Index first, std::span<Output> out) {
  { Q::kName } -> std::convertible_to<std::string_view>;
  // IsOf: whether it can be asked of such a predictive.
  { Q::IsOf(asked) } -> std::same_as<bool>;
  // kByDefault: whether it is answered when nothing is asked for by name.
  { Q::kByDefault } -> std::convertible_to<bool>;
  // kWantsEntropy: whether it needs the entropies of the classes, which are computed with the
  // probabilities.
  { Q::kWantsEntropy } -> std::convertible_to<bool>;
  { q.Configure(options) } -> std::same_as<absl::Status>;
  // Outputs returns the outputs, empty, with their shapes: the size of the answer.
  { c.Outputs(asked) } -> std::same_as<std::vector<Output>>;
  // Fill writes the columns from `first` on, one for each example of the predictive.
  c.Fill(predictive, first, out);
};

template <QueryType... Qs>
struct Queries {
  using Variant = std::variant<Qs...>;
};

using Query = Queries<Moments, Quantiles, Probabilities, Entropy, Logits, Interval>::Variant;

}  // namespace prequel
