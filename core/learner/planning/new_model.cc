#include "core/learner/planning/new_model.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/config/error.h"

namespace prequel {
namespace {

// A prior wider than this, or of noise smaller than that, leaves no digits for what is learned.
constexpr double kWidest = 1e10;
constexpr double kLeastRate = 1e-12;
constexpr double kMostShape = 1e10;  // rows that the prior of the noise counts as, halved
constexpr double kLeastShape = 0.5;  // of a Student-t with one degree of freedom

const double* NumberOf(const ComponentConfig& config, const std::string& option) {
  const auto found = config.options.find(option);
  return found != config.options.end() ? std::get_if<double>(&found->second) : nullptr;
}

absl::Status AtLeast(double least, const std::string& part, const ComponentConfig& config,
                     const std::string& option) {
  const double* number = NumberOf(config, option);
  if (number == nullptr || *number >= least) return absl::OkStatus();
  return FieldError(absl::StrCat(part, ".options.", option),
                    absl::StrCat("must be at least ", least, " of a new model, got ", *number));
}

// Each of the numbers, which are in rows of `columns`; 0: in one list.
absl::Status AtMostWidest(const std::string& field, const std::vector<double>& numbers,
                          Index columns) {
  for (Index i = 0; i < static_cast<Index>(numbers.size()); ++i) {
    const double number = numbers[static_cast<std::size_t>(i)];
    if (number <= kWidest) continue;
    const std::string place =
        columns > 0 ? absl::StrCat(i / columns, ",", i % columns) : absl::StrCat(i);
    return FieldError(absl::StrCat(field, "[", place, "]"),
                      absl::StrCat("must be at most ", kWidest, " of a new model, got ", number));
  }
  return absl::OkStatus();
}

absl::Status CheckPrior(const ComponentConfig& prior) {
  absl::Status status = AtLeast(1 / kWidest, "config.prior", prior, "precision");
  if (status.ok()) status = AtLeast(1 / kWidest, "config.prior", prior, "bias_precision");
  for (const auto& option : prior.options) {
    if (!status.ok()) return status;
    if (!option.first.ends_with("variances")) continue;  // of all weights, or of those of a layer
    const std::string field = absl::StrCat("config.prior.options.", option.first);
    if (const auto* table = std::get_if<NumberTable>(&option.second)) {
      status = AtMostWidest(field, table->numbers, table->columns);
    } else {
      status = AtMostWidest(field, std::get<std::vector<double>>(option.second), 0);
    }
  }
  return status;
}

absl::Status CheckShape(double shape) {
  const std::string field = "config.likelihood.options.noise_shape";
  if (!(shape > kLeastShape)) {
    return FieldError(
        field, absl::StrCat("must be greater than ", kLeastShape, ", and is ", shape,
                            ": with twice that many degrees of freedom the first predictions "
                            "have no mean, and their CRPS is infinite; 1.5 is usual"));
  }
  if (shape <= kMostShape) return absl::OkStatus();
  return FieldError(field, absl::StrCat("must be at most ", kMostShape, " of a new model, got ",
                                        shape, "; give the noise, if it is known"));
}

absl::Status CheckNoise(const Problem& problem) {
  const NoiseModel noise = problem.noise();
  if (!noise.learned()) return absl::OkStatus();
  absl::Status status =
      AtLeast(kLeastRate, "config.likelihood", problem.config.likelihood, "noise_rate");
  return status.ok() ? CheckShape(noise.shape) : status;
}

}  // namespace

absl::Status CheckNew(const Problem& problem) {
  absl::Status status = CheckPrior(problem.config.prior);
  return status.ok() ? CheckNoise(problem) : status;
}

}  // namespace prequel
