// After warm-up an update allocates nothing: every call of malloc in this program is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/learner/learner.h"
#include "core/linalg/quadrature.h"
#include "tests/core/rules_under_test.h"
#include "tests/core/streams.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PREQUEL_COUNTS_ALLOCATIONS 0  // the sanitizers own malloc
#else
#define PREQUEL_COUNTS_ALLOCATIONS 1
#endif

#if PREQUEL_COUNTS_ALLOCATIONS
namespace {
std::atomic<long> allocations{0};
}

// glibc lets a program replace malloc and still reach its own (man malloc, "replacing malloc").
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? 12 : 0;
}
}
#endif

namespace prequel::allocation_test {
namespace {

struct Case {
  std::string name, model, likelihood, posterior;
  ComponentConfig rule;
  Index inputs = 2, rows = 64, hidden = 32;
  std::string storage = "", robustness = "";
  bool drifts = false;  // by the default
};

// The eigenpairs that these posteriors keep are found in memory of Eigen's own.
const std::set<std::string> kPosteriorsThatAllocate = {"low_rank", "low_rank_hidden", "kronecker"};

// A phase of laplace takes its memory when it begins, which these do within the minibatches that
// are counted.
const std::set<std::string> kMayAllocate = {"laplace", "laplace_from_the_start"};

// Within each phase of laplace.
std::vector<Case> LaplaceCases() {
  using Word = std::string;
  const auto rule = [](double size, double steps) {
    return ComponentConfig{
        "laplace", {{"mode", Word("dataset")}, {"dataset_size", size}, {"map_steps", steps}}};
  };
  std::vector<Case> cases;
  for (const char* posterior : {"full", "diagonal", "subnetwork"}) {
    const Word name = Word("laplace_") + posterior;
    cases.push_back({name + "_map", "mlp", "bernoulli", posterior, rule(1e6, 100)});
    cases.push_back({name + "_first_pass", "mlp", "bernoulli", posterior, rule(1e6, 0)});
    cases.push_back({name + "_curvature", "mlp", "bernoulli", posterior, rule(64, 1)});
  }
  return cases;
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const RuleUnderTest& rule : RulesUnderTest()) {
    if (kMayAllocate.contains(rule.name)) continue;
    for (const std::string& posterior : rule.posteriors) {
      if (kPosteriorsThatAllocate.contains(posterior)) continue;
      for (const std::string& likelihood : LikelihoodNames()) {
        if (!rule.likelihood.empty() && rule.likelihood != likelihood) continue;
        const std::string name = absl::StrCat(posterior, "_", likelihood, "_", rule.name);
        // A mixture over draws of counts is dear to score, and no other for having more rows.
        const bool counts = likelihood == "poisson" || likelihood == "negative_binomial";
        const Index share = counts && rule.name.starts_with("rvga_monte_carlo") ? 8 : 1;
        cases.push_back(
            {"linear_" + name, "linear", likelihood, posterior, rule.rule, 16, 256 / share, 0});
        if (!rule.model.empty()) continue;
        cases.push_back(
            {"mlp_" + name, "mlp", likelihood, posterior, rule.rule, 2, 64 / share, 32});
      }
    }
  }
  for (const Case& phase : LaplaceCases()) cases.push_back(phase);
  const ComponentConfig ivon{"ivon", {}};
  cases.push_back({"mlp_float32", "mlp", "bernoulli", "diagonal", ivon, 2, 64, 32, "float32"});
  cases.push_back(
      {"linear_imq", "linear", "gaussian", "full", {"rvga", {}}, 16, 256, 0, "", "imq"});
  for (const char* likelihood : {"gaussian", "bernoulli"}) {
    for (const Index rows : {1, 64, 300}) {
      const std::string name = absl::StrCat("linear_drifting_", likelihood, "_", rows);
      cases.push_back(
          {name, "linear", likelihood, "full", {"rvga", {}}, 16, rows, 0, "", "", true});
    }
  }
  cases.push_back({"linear_block", "linear", "categorical", "full", {"rvga", {}}, 32, 256, 0});
  const ComponentConfig explicit_step{"rvga", {{"scheme", std::string("explicit")}}};
  cases.push_back({"linear1024", "linear", "bernoulli", "full", explicit_step, 1023, 256, 0});
  return cases;
}

class Allocation : public testing::TestWithParam<Case> {};

TEST_P(Allocation, NoneAfterWarmUp) {
#if PREQUEL_COUNTS_ALLOCATIONS
  const Case& c = GetParam();
  LearnerConfig config = PlainConfig(c.inputs, c.likelihood);
  config.calibration.name = "online";
  config.standardize_inputs = Standardize::kDefault;
  config.standardize_targets = Standardize::kDefault;
  if (c.likelihood == "categorical") config.target.num_classes = 3;
  config.model.name = c.model;
  if (c.hidden > 0) {
    config.model.options["hidden"] = std::vector<double>{static_cast<double>(c.hidden)};
    config.prior.options["layer_scale"] = std::string("none");  // under which every rule converges
  }
  config.posterior.name = c.posterior;
  if (!c.storage.empty()) config.posterior.options["storage"] = c.storage;
  config.rule = c.rule;
  config.robustness.name = c.robustness;
  if (c.drifts) config.dynamics = {};
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  std::vector<Batch> batches;
  for (std::uint64_t t = 0; t < 8; ++t) {
    batches.push_back(BatchFor(c.likelihood, c.inputs, c.rows, t));
  }
  batches[1].inputs *= 1.5;  // so that units move while memory still grows
  NormalQuadrature();        // a table made once in a program, by whoever needs it first
  long counted = 0;
  for (std::size_t t = 0; t < batches.size(); ++t) {
    const long before = allocations.load();
    const absl::StatusOr<Learned> learned = learner.Update(state, batches[t], scratch, next);
    if (t >= 4) counted += allocations.load() - before;
    ASSERT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
  }
  EXPECT_EQ(counted, 0);
  const Matrix sentinel = Matrix::Random(64, 64) * Matrix::Random(64, 64);
  EXPECT_GT(allocations.load(), 0) << "the counter counts nothing" << sentinel(0, 0);
#else
  GTEST_SKIP() << "the sanitizer owns malloc";
#endif
}

INSTANTIATE_TEST_SUITE_P(All, Allocation, testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace prequel::allocation_test
