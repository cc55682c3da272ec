#include "server/memory/shortage.h"

#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"

namespace prequel {
namespace {

constexpr char kPayload[] = "prequel/shortage";

std::string Sentence(const Shortage& s) {
  if (s.budget == "models") {
    return absl::StrCat("it would take about ", s.wanted, " bytes of memory; models have ", s.used,
                        " of ", s.limit, " (--memory): make it smaller, or delete another");
  }
  const char* what = s.retry_after.count() > 0 ? "read answers, send less at once, and try again"
                                               : "more than one call may have: send less at once";
  return absl::StrCat("the call would take ", s.wanted, " bytes of memory, its caller has ",
                      s.yours, ", and all calls have ", s.used, " of ", s.limit,
                      " (--memory): ", what);
}

}  // namespace

absl::Status ShortageError(const Shortage& s) {
  absl::Status status = absl::ResourceExhaustedError(Sentence(s));
  status.SetPayload(kPayload,
                    absl::Cord(absl::StrCat(s.budget, " ", s.wanted, " ", s.yours, " ", s.used, " ",
                                            s.limit, " ", s.retry_after.count())));
  return status;
}

std::optional<Shortage> ShortageOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayload);
  if (!payload) return std::nullopt;
  const std::vector<std::string> words = absl::StrSplit(std::string(*payload), ' ');
  Shortage s;
  std::int64_t milliseconds = 0;
  if (words.size() != 6 || !absl::SimpleAtoi(words[1], &s.wanted) ||
      !absl::SimpleAtoi(words[2], &s.yours) || !absl::SimpleAtoi(words[3], &s.used) ||
      !absl::SimpleAtoi(words[4], &s.limit) || !absl::SimpleAtoi(words[5], &milliseconds)) {
    return std::nullopt;
  }
  s.budget = words[0];
  s.retry_after = std::chrono::milliseconds(milliseconds);
  return s;
}

}  // namespace prequel
