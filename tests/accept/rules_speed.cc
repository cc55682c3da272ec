// How fast the rules step: what `./dev bench` measures, against what is promised.
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/accept/or_die.h"
#include "tests/accept/rules.h"
#include "tests/end_to_end/child_process.h"

namespace prequel::accept {
namespace {

constexpr int kRuns = 5;
constexpr std::chrono::seconds kPatience(600);

using Counters = std::map<std::string, double>;

// The benchmark of that name (Google Benchmark appends settings), alone in a process of its own, so
// that the peak of the memory is its own too.
Counters RunBenchmark(const std::string& name) {
  ChildProcess program({PREQUEL_BENCH, absl::StrCat("--benchmark_filter=^", name, "(/|$)"),
                        "--benchmark_format=json"});
  const std::string json = program.ReadAll();
  google::protobuf::Struct output;
  const bool sound = program.Wait(kPatience) == 0 &&
                     google::protobuf::util::JsonStringToMessage(json, &output).ok() &&
                     output.fields().contains("benchmarks") &&
                     output.fields().at("benchmarks").list_value().values_size() > 0;
  if (!sound) OrDie(absl::InternalError("does not measure " + name), PREQUEL_BENCH);
  Counters counters;
  const auto& measured = output.fields().at("benchmarks").list_value().values(0).struct_value();
  for (const auto& [counter, value] : measured.fields()) {
    if (value.has_number_value()) counters[counter] = value.number_value();
  }
  return counters;
}

// Each counter's values, run by run.
std::map<std::string, std::vector<double>> RunOften(const std::string& name) {
  std::map<std::string, std::vector<double>> all;
  for (int run = 0; run < kRuns; ++run) {
    for (const auto& [counter, value] : RunBenchmark(name)) all[counter].push_back(value);
  }
  return all;
}

std::string Runs() { return absl::StrFormat("%d runs", kRuns); }

void AddSteps(Report& report) {
  constexpr double kWeights = 784 * 256 + 256 + 256 * 10 + 10, kRows = 128;
  const double gradients = kWeights * kRows * sizeof(double) / (1 << 20);
  report.Describe(absl::StrFormat(
      "Steps of a network 784-256-10 on minibatches of 128 over a step of adam, timed in turns by "
      "the processor time of the thread. The gradients of the examples alone would take %.0f MiB.",
      gradients));
  struct Promise {
    const char *name, *rule;
    double limit;
  };
  for (const Promise& promise :
       {Promise{"StepVogn", "vogn", 1.6}, Promise{"StepVognGgn", "vogn, curvature: ggn", 1.6},
        Promise{"StepIvon", "ivon", 1.3}, Promise{"StepVadam", "vadam", 1.3},
        Promise{"StepBbb", "bbb", 0}}) {
    const auto counters = RunOften(promise.name);
    const Mean ratio = MeanOf(counters.at("ratio")), memory = MeanOf(counters.at("peak_mb"));
    report.Add({absl::StrCat(promise.rule, ": time of a step over adam's"), ratio.value,
                ratio.stderr_, promise.limit,
                promise.limit > 0 ? Direction::kAtMost : Direction::kReported, Runs()});
    report.Add({absl::StrCat(promise.rule, ": peak memory of the process, MiB"), memory.value,
                memory.stderr_, gradients, Direction::kAtMost, Runs()});
  }
}

void AddProducts(Report& report) {
  report.Describe(
      "Passes through that network over the matrix products that they consist of, done by Eigen on "
      "matrices in place and in the same precision: the share of the library's speed.");
  struct Pass {
    const char *name, *what;
  };
  for (const Pass& pass :
       {Pass{"GemmForward", "forward"}, Pass{"GemmBackward", "backward"},
        Pass{"GemmWithSquares", "forward and backward, with the squares of every gradient"}}) {
    const auto counters = RunOften(pass.name);
    std::vector<double> shares;
    for (const double ratio : counters.at("ratio")) shares.push_back(1 / ratio);
    const Mean share = MeanOf(shares);
    report.Add({absl::StrCat(pass.what, ": speed over that of its products"), share.value,
                share.stderr_, 0.6, Direction::kAtLeast, Runs()});
  }
}

void AddLowRank(Report& report) {
  report.Describe(
      "A step of lofi at rank 10 on a network of one hidden layer of 64, minibatches of 32, as its "
      "number of weights grows. Memory is the peak of the whole process. The largest is to take at "
      "most 1.3 times the time per weight of the one before, and 1.2 times the memory.");
  Mean smaller_time, smaller_memory;
  for (const int size : {1000, 10'000, 100'000, 1'000'000}) {
    const auto counters = RunOften(absl::StrCat("LofiStep/", size));
    const double weights = counters.at("weights").front();
    const std::string name = absl::StrFormat("lofi, %.0f weights: ", weights);
    const Mean time = MeanOf(counters.at("ns_per_weight"));
    const Mean memory = MeanOf(counters.at("peak_bytes_per_weight"));
    report.Add({name + "nanoseconds per weight", time.value, time.stderr_, 1.3 * smaller_time.value,
                size == 1'000'000 ? Direction::kAtMost : Direction::kReported, Runs()});
    report.Add({name + "bytes per weight", memory.value, memory.stderr_, 1.2 * smaller_memory.value,
                size == 1'000'000 ? Direction::kAtMost : Direction::kReported, Runs()});
    smaller_time = time;
    smaller_memory = memory;
  }
}

}  // namespace

void RulesSpeed(Report& report) {
  report.Section("Steps over adam's");
  AddSteps(report);
  report.Section("Matrix products");
  AddProducts(report);
  report.Section("Low rank");
  AddLowRank(report);
}

}  // namespace prequel::accept
