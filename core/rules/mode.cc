#include "core/rules/mode.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

constexpr double kMaxExamples = 1e15;
constexpr Index kMaxPasses = 1000;

}  // namespace

void Mode::Configure(Options& options) {
  std::string mode = "recursive";
  options.Help("recursive: every minibatch is new data; dataset: they are drawn from N examples")
      .Choice("mode", &mode, {"recursive", "dataset"});
  if (mode == "dataset") return ConfigureSize(options);
  if (options.Has("dataset_size")) {
    options.Fail("dataset_size",
                 "is N of mode \"dataset\"; in mode \"recursive\" every minibatch is new data: set "
                 "mode to \"dataset\" or leave dataset_size out");
  }
  passes = 10;
  options.Help("most steps on a minibatch").Integer("passes", &passes, 1, kMaxPasses);
}

void Mode::ConfigureDataset(Options& options, std::string_view reason) {
  std::string mode = "dataset";
  options.Help("recursive: every minibatch is new data; dataset: they are drawn from N examples")
      .Choice("mode", &mode, {"recursive", "dataset"});
  if (mode != "dataset") {
    options.Fail("mode", "must be \"dataset\", got \"recursive\": " + std::string(reason));
  }
  ConfigureSize(options);
}

void Mode::RefuseDatasetOptions(Options& options, std::initializer_list<const char*> names,
                                std::string_view reason) {
  for (const char* name : names) {
    if (!options.Has(name)) continue;
    options.Fail(name, absl::StrCat("is of mode \"dataset\"; in mode \"recursive\" ",
                                    std::string(reason), ": leave it out"));
  }
}

void Mode::ConfigureSize(Options& options) {
  if (!options.Has("dataset_size")) {
    options.Fail("dataset_size",
                 "is needed in mode \"dataset\": N, the number of examples in one pass over the "
                 "data, a number in [1, 1e15]");
  }
  if (options.Has("passes")) {
    options.Fail("passes",
                 "is of mode \"recursive\"; in mode \"dataset\" every minibatch is one step, and "
                 "several passes over the data are sent by the producer: leave it out");
  }
  dataset_size = 1;
  options.Help("N, the examples in one pass over the data")
      .Real("dataset_size", &dataset_size, 1, kMaxExamples);
}

}  // namespace prequel
