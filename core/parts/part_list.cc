#include "core/parts/part_list.h"

#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/calibration/calibration.h"
#include "core/config/options.h"
#include "core/dynamics/dynamics.h"
#include "core/likelihoods/likelihood.h"
#include "core/models/model.h"
#include "core/models/prior.h"
#include "core/parts/part_options.h"
#include "core/posteriors/posterior.h"
#include "core/posteriors/stored_posterior.h"
#include "core/predictive/queries/query.h"
#include "core/robustness/robustness.h"
#include "core/rules/rule.h"

namespace prequel {
namespace {

// What a part T says of itself when `configure` lets it read its options.
template <class T, class Configure>
PartInfo Described(std::string_view kind, const Configure& configure) {
  const ReadPart read = [&](const ComponentConfig& config) {
    OptionRecord record;
    Options options(kind, config, &record);
    T part;
    (void)configure(part, options);  // what is wrong is in the record, too
    return record;
  };
  const PartOptions found(read);
  return {.kind = std::string(kind),
          .name = std::string(T::kName),
          .help = found.help(),
          .cost = found.cost(),
          .options = found.options()};
}

// AddAll adds every alternative of a variant, in their order, of which the first is the usual one.
// `more` may say more of each.
template <class Variant, class Configure, class More>
void AddAll(std::string_view kind, std::vector<PartInfo>& parts, const Configure& configure,
            const More& more) {
  [&]<class... Ts>(const std::variant<Ts...>*) {
    const std::size_t first = parts.size();
    const auto add = [&]<class T>(const T*) {
      PartInfo part = Described<T>(kind, configure);
      part.usual = parts.size() == first;
      more(static_cast<const T*>(nullptr), part);
      parts.push_back(std::move(part));
    };
    (add(static_cast<const Ts*>(nullptr)), ...);
  }(static_cast<const Variant*>(nullptr));
}

constexpr auto kNothing = []<class T>(const T*, PartInfo&) {};

// Calls f with every alternative of a set.
template <class Variant, class F>
void EachOf(const F& f) {
  [&]<class... Ts>(const std::variant<Ts...>*) {
    (f(static_cast<const Ts*>(nullptr)), ...);
  }(static_cast<const Variant*>(nullptr));
}

Layers SomeLayers() {
  const ComponentConfig config;
  Options options("", config);
  Mlp network;
  (void)network.Configure(options, 16, 1);
  return LayersOf(Model(network));
}

void AddRobustness(std::vector<PartInfo>& parts) {
  AddAll<Robustness>(
      "robustness", parts, [](auto& part, Options& options) { return part.Configure(options); },
      []<class T>(const T*, PartInfo& part) {
        if constexpr (T::kWeighs) {
          EachOf<Likelihood>([&]<class L>(const L*) {
            if (L::kWeighsRows) part.combines["likelihood"].emplace_back(L::kName);
          });
        }
      });
}

void AddQueries(std::vector<PartInfo>& parts) {
  AddAll<Query>(
      "query", parts, [](auto& part, Options& options) { return part.Configure(options); },
      []<class Q>(const Q*, PartInfo& part) {
        part.usual = Q::kByDefault;
        std::vector<std::string>& likelihoods = part.combines["likelihood"];
        EachOf<Likelihood>([&]<class L>(const L*) {
          if (Q::IsOf({.classes = L::kClasses})) likelihoods.emplace_back(L::kName);
        });
      });
}

std::vector<PartInfo> AllParts() {
  std::vector<PartInfo> parts;
  const Layers layers = SomeLayers();
  AddAll<Model>(
      "model", parts, [](auto& part, Options& options) { return part.Configure(options, 16, 1); },
      kNothing);
  AddAll<Likelihood>(
      "likelihood", parts,
      [](auto& part, Options& options) { return part.Configure(options, TargetConfig()); },
      kNothing);
  AddAll<Prior>(
      "prior", parts,
      [&](auto& part, Options& options) {
        return part.Configure(options, WeighedModel{layers, true, true});
      },
      kNothing);
  AddAll<Posterior>(
      "posterior", parts,
      [&](auto& part, Options& options) {
        Storage storage = Storage::kFloat64;
        return ConfigureStored(part, options, layers, &storage);
      },
      []<class Q>(const Q*, PartInfo& part) {
        EachOf<Rule>([&]<class R>(const R*) {
          if (Updates<R, Q>) part.combines["rule"].emplace_back(R::kName);
        });
      });
  AddAll<Rule>(
      "rule", parts, [](auto& part, Options& options) { return part.Configure(options); },
      []<class R>(const R*, PartInfo& part) {
        EachOf<Posterior>([&]<class Q>(const Q*) {
          if (Updates<R, Q>) part.combines["posterior"].emplace_back(Q::kName);
        });
      });
  // This model has all that a model may have, so that every option is read.
  const MovingModel moving{
      .layers = layers, .tracks_noise = true, .tracks_dispersion = true, .scales = 2};
  AddAll<Dynamics>(
      "dynamics", parts,
      [&](auto& part, Options& options) { return part.Configure(options, moving); },
      []<class T>(const T*, PartInfo& part) {
        // The usual dynamics are those of a model that is not too large for them
        // (learner/planning/default_fit.h).
        part.usual = std::is_same_v<T, FollowingDynamics>;
        if constexpr (T::kMoves) {
          EachOf<Posterior>([&]<class Q>(const Q*) {
            if (AppliesTo<T, Q>) part.combines["posterior"].emplace_back(Q::kName);
          });
        }
      });
  AddAll<Calibration>(
      "calibration", parts, [](auto& part, Options& options) { return part.Configure(options); },
      kNothing);
  AddRobustness(parts);
  AddQueries(parts);
  return parts;
}

}  // namespace

const std::vector<PartInfo>& ListParts() {
  static const std::vector<PartInfo>* const parts = new std::vector<PartInfo>(AllParts());
  return *parts;
}

}  // namespace prequel
