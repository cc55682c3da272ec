// Bayesian logistic regression as the published studies pose it (math: §8.A): inputs as they are, a
// bias of its own, vague prior whose log is left out of the divergence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/config/batch.h"
#include "core/config/learner_config.h"
#include "core/learner/problem.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"

namespace prequel::accept {

struct LogisticData {
  std::string name;
  Batch rows;
  double precision = 1;          // δ of the weights' prior
  double bias_precision = 1e-5;  // of the bias's
};

// Nothing when PREQUEL_DATA_DIR has no such file.
std::optional<LogisticData> A1aTrain();
std::optional<LogisticData> A1aTest();
std::optional<LogisticData> BreastCancer();
std::optional<LogisticData> Australian();
std::optional<LogisticData> Usps3v5();

// A random half of the rows to learn from and the other to be asked about.
Division SplitInHalves(const Batch& rows, std::uint64_t seed);

// A linear model of 0/1 labels under the prior of `data`, in dataset mode over `rows` of it.
LearnerConfig LogisticConfig(const LogisticData& data, const Batch& rows, ComponentConfig posterior,
                             ComponentConfig rule);

// −ELBO of q over `rows` in nats per row, by quadrature in the logit, which is exact here, and
// without the log of the bias's prior precision.
double NegativeElbo(const LogisticData& data, const Problem& problem, const Batch& rows,
                    const Posterior& q);

// Nats per row of what `fold` predicts.
double TestNll(Folding& fold, const Batch& rows);

}  // namespace prequel::accept
