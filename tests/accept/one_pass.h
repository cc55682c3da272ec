// kin8nm in one pass: the published test of online rules for networks.
#pragma once

#include <optional>
#include <string>

#include "core/config/learner_config.h"
#include "tests/accept/check.h"

namespace prequel::accept {

// The test error of a network of 50 hidden units under `rule` and `posterior` after one pass over
// the training rows of each of the twenty splits, against the published `rmse`, if there is one.
// The setting that predicted the training rows best, each before it was learned, is the one whose
// test error counts.
void OnePassKin8nm(const ComponentConfig& rule, const ComponentConfig& posterior,
                   std::optional<double> rmse, Report& report);

}  // namespace prequel::accept
