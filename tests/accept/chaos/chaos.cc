#include "tests/accept/chaos/chaos.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/accept/chaos/chaos_run.h"
#include "tests/accept/chaos/registrar.h"
#include "tests/accept/timing.h"

namespace prequel::accept {
namespace {

// Fewer readings of memory say nothing.
constexpr std::size_t kReadings = 8;

// PREQUEL_CHAOS_SECONDS=120 for a look.
std::chrono::seconds Length() {
  const char* length = std::getenv("PREQUEL_CHAOS_SECONDS");
  return std::chrono::seconds(length == nullptr ? 3600 : std::max(60, std::atoi(length)));
}

class Account {
 public:
  Account(const ChaosOptions& options, const ChaosResult& result, Report& report)
      : options_(options), result_(result), report_(report) {}

  void Give() const {
    AtLeast("went on to the end (1 = yes)", result_.problem.empty() ? 1 : 0, 1, result_.problem);
    OfMinibatches();
    OfDisk();
    OfPapers();
    OfMemory();
  }

 private:
  void AtLeast(const std::string& name, double value, double target,
               const std::string& setting = "") const {
    report_.Add({name, value, 0, target, Direction::kAtLeast, setting});
  }
  void AtMost(const std::string& name, double value, double target,
              const std::string& setting = "") const {
    report_.Add({name, value, 0, target, Direction::kAtMost, setting});
  }

  void OfMinibatches() const {
    const auto number = [](std::int64_t count) { return static_cast<double>(count); };
    AtLeast("kill -9", result_.kills, 1,
            absl::StrCat(result_.kills_recovering, " of them while it recovered"));
    AtLeast("attacks", result_.attacks, 1);
    AtLeast("connections of slow clients", number(result_.slow_connections), 1);
    AtLeast("minibatches acknowledged", number(result_.acknowledged), 1000,
            absl::StrCat(result_.repeated, " of them by a repeat, the first answer lost; ",
                         result_.streams_left, " streams left in the middle, ",
                         result_.streams_ended, " ended by themselves"));
    report_.Add({"calls of writers that were answered with CANCELLED, and made again",
                 number(result_.cancelled), 0, 0, Direction::kReported, ""});
    AtMost("minibatches lost", number(result_.audit.lost), 0,
           absl::StrCat(result_.audit.bounded, " looks at models beside their writers"));
    AtMost("minibatches doubled", number(result_.audit.doubled + result_.clashes), 0);
    AtLeast("states compared", result_.audit.compared, 1);
    AtMost("wrong states", result_.audit.wrong, 0, "to the bit those of an uninterrupted fold");
  }

  void OfDisk() const {
    if (!result_.has_disk) {
      report_.Skip("full disks", "mounting a small disk takes the right to (CAP_SYS_ADMIN)");
      return;
    }
    AtLeast("full disks that the server noticed", result_.fills_noticed, 1,
            absl::StrCat("of ", result_.fills));
    AtMost("seconds from room on the disk to ready, the most", result_.slowest_disk, 60,
           "kills meanwhile and attacks included");
    report_.Add({"MiB that the server took on disk, the most", result_.most_disk, 0, 0,
                 Direction::kReported, ""});
  }

  void OfPapers() const {
    AtLeast("certificates that both ports came to show", result_.certificates, 1);
    AtMost("certificates that they did not come to show", result_.certificates_not_shown, 0);
    AtLeast("policies that came to count", result_.policies, 2,
            absl::StrFormat("%.1f s at the most", result_.slowest_policy));
    AtMost("policies that did not come to count", result_.policies_not_counting, 0);
    AtLeast("calls of a revoked principal that were refused", static_cast<double>(result_.refused),
            1);
    const std::string setting =
        absl::StrCat("once the policy had counted, or after ", Registrar::kGrace.count(), " s");
    AtMost("calls of a revoked principal that were accepted",
           static_cast<double>(result_.wrongly_accepted), 0, setting);
    AtMost("calls of one that was back that were refused",
           static_cast<double>(result_.wrongly_refused), 0, setting);
  }

  void OfMemory() const {
    for (const auto& [attack, bytes] : result_.most_resident) {
      AtMost(absl::StrCat("most memory over the budget, ",
                          attack.empty() ? std::string("between attacks") : attack),
             static_cast<double>(bytes) / static_cast<double>(options_.memory), 1.1);
    }
    const char kName[] = "% by which memory at rest differs, the last half from the first";
    const std::vector<double>& readings = result_.rested;
    if (readings.size() < kReadings) {
      report_.Skip(kName, absl::StrCat(readings.size(), " readings, and ", kReadings,
                                       " are needed: give it 45 minutes"));
      return;
    }
    const auto warm = readings.begin() + static_cast<std::ptrdiff_t>(readings.size() / 4);
    const auto middle = warm + (readings.end() - warm) / 2;
    const double before = Quantile({warm, middle}, 0.5),
                 after = Quantile({middle, readings.end()}, 0.5);
    std::string text = "medians of MiB, after the first quarter:";
    for (const double reading : readings)
      absl::StrAppendFormat(&text, " %.0f", reading / (1 << 20));
    AtMost(kName, 100 * std::abs(after / before - 1), 5, text);
  }

  const ChaosOptions& options_;
  const ChaosResult& result_;
  Report& report_;
};

}  // namespace

void BearChaos(Report& report) {
  ChaosOptions options;
  options.length = Length();
  report.Section("everything at once");
  report.Describe(absl::StrCat(
      "A server with --memory of 1 GiB, under TLS and a policy, on a disk with 69 MiB of room, "
      "for ",
      options.length.count(),
      " s: 6 writers, who are principals of their own, teach 3 models; the attacks of "
      "`guard.attacks` follow each other; 200 connections say nothing, or too slowly, or without "
      "end, or do not read; the disk is filled and freed; certificates are renewed, and a "
      "principal "
      "is revoked and brought back. In the first half the server is killed after 2 to 30 s, and "
      "all "
      "models are compared after each restart; in the second half it lives, and they are compared "
      "after each attack. Memory is read in the second half, after each round of all attacks: the "
      "least in 35 s without any and with nobody writing, while everything else goes on."));
  const ChaosResult result = RunChaos(options);
  if (!result.problem.empty()) std::fprintf(stderr, "%s\n", result.problem.c_str());
  Account(options, result, report).Give();
}

}  // namespace prequel::accept
