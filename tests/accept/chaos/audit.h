// Compares what a server holds with what its writers have been told.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/client.h"
#include "tests/accept/chaos/ledger.h"
#include "tests/accept/chaos/writers.h"
#include "tests/end_to_end/crash_stream.h"

namespace prequel::accept {

class Audit {
 public:
  struct Findings {
    std::int64_t lost = 0;     // minibatches acknowledged, and not in a model
    std::int64_t doubled = 0;  // more in a model than were sent, or than it says that it learned
    int wrong = 0;             // states, predictions or evaluations that no uninterrupted fold has
    int compared = 0;          // states, with that fold
    int bounded = 0;           // models that were looked at beside their writers
    std::string problem;       // why a look could not be taken; empty: none
  };

  // Both outlive this.
  Audit(int models, client::Client& server, Ledger& ledger);

  // Beside the writers: acknowledged <= in the model <= sent.
  void Bound();
  // REQUIRES: all that was sent has been answered. Acknowledged = in the model, with the bits of an
  // uninterrupted fold of the minibatches in the order of their revisions.
  void Compare();

  const Findings& findings() const { return findings_; }

 private:
  struct Account {
    explicit Account(int model) : fold(CrashConfig(model)) {}
    PlainFold fold;
    std::int64_t revision = 0;
    std::array<std::int64_t, kProducers> last{};  // numbers
  };

  void Advance(int model);
  void CompareNumbers(int model, std::int64_t revision);
  void CompareBits(int model, const v1::GetEvaluationResponse& evaluation);
  // Whether `call` was answered, sooner or later: floods may be under way.
  bool Reach(const std::function<absl::Status()>& call);

  client::Client& server_;
  Ledger& ledger_;
  std::vector<std::unique_ptr<Account>> accounts_;
  Findings findings_;
};

}  // namespace prequel::accept
