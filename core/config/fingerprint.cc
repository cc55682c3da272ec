#include "core/config/fingerprint.h"

#include <string>
#include <utility>

#include "core/archive/archive.h"
#include "core/archive/stable_hash.h"

namespace prequel {

template <class A>
void Archive(A& a, Field<A, FeatureConfig>& s) {
  a.Value("name", s.name);
  a.Value("kind", static_cast<std::int64_t>(s.kind));
  a.Value("width", s.width);
  a.Value("allow_missing", s.allow_missing);
  a.Value("max_categories", s.max_categories);
  a.Value("hash_buckets", s.hash_buckets);
}

template <class A>
void Archive(A& a, Field<A, TargetConfig>& s) {
  a.Value("name", s.name);
  a.Value("labels", s.labels);
  a.Value("num_classes", s.num_classes);
  a.Value("width", s.width);
  a.Value("allow_missing", s.allow_missing);
}

template <class A>
void Archive(A& a, Field<A, NumberTable>& s) {
  a.Value("rows", s.rows);
  a.Value("columns", s.columns);
  a.Value("numbers", s.numbers);
}

template <class A>
void Archive(A& a, Field<A, ComponentConfig>& s) {
  a.Value("name", s.name);
  for (const auto& [name, value] : s.options) {
    a.Value("option", name);
    a.Value("value", value);
  }
}

std::uint64_t Fingerprint(const LearnerConfig& config) {
  ArchiveWriter a;
  a.Value("features", config.features);
  a.Value("target", config.target);
  for (const ComponentConfig* component :
       {&config.model, &config.likelihood, &config.prior, &config.posterior, &config.rule,
        &config.dynamics, &config.calibration, &config.robustness}) {
    a.Value("component", *component);
  }
  a.Value("standardize_inputs", static_cast<std::int64_t>(config.standardize_inputs));
  a.Value("standardize_targets", static_cast<std::int64_t>(config.standardize_targets));
  a.Value("standardize_window", config.standardize_window);
  a.Value("input_clip", config.input_clip);
  a.Value("evaluation_window", config.evaluation_window);
  a.Value("seed", config.seed);
  return StableHash(std::move(a).Take());
}

}  // namespace prequel
