// What a restart reads back: a capture, that is a ledger and a learner's state.
//
// The input chooses a model and holds the two bodies, which are sealed here; or it is the whole
// capture as it is. What decodes can be written anew, and is, in depth, a state to go on from: it
// predicts, learns, and what it has become can be read again.
#include <string>
#include <utility>

#include "server/engine/fold/ledger.h"
#include "server/engine/fold/model_fold.h"
#include "server/engine/history/capture.h"
#include "tests/fuzz/capture_bytes.h"
#include "tests/fuzz/folding.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/learners.h"
#include "tests/fuzz/refusal.h"

namespace prequel::fuzz {
namespace {

// What the first byte asks for.
enum Kind : std::uint8_t { kBodies, kAsItIs };

void RequireUsable(const std::shared_ptr<const Learner>& learner, FoldPoint restored) {
  static Scratch& scratch = *new Scratch();
  const Ledger& ledger = std::get<Ledger>(restored.parts);
  for (const auto& [id, producer] : ledger.producers()) {
    const Origin last{id, producer.next - 1};
    const absl::StatusOr<PastAnswer> answer = ledger.AnswerTo(last);
    if (!answer.ok()) RequireReadable(answer.status());  // it is whatever the file says
  }
  ModelFold fold(learner, std::move(restored));
  const Batch batch = SampleBatch(*learner, 1);
  const absl::StatusOr<Answer> answer =
      learner->Predict(*fold.current().state, batch, *learner->Ask({}), scratch);
  if (!answer.ok()) RequireTold(answer.status());

  const std::string before = learner->EncodeState(*fold.current().state);
  const std::int64_t revision = fold.current().revision;
  const absl::StatusOr<Learned> learned = Learn(fold, {"new", 1}, batch, scratch);
  const std::string after = learner->EncodeState(*fold.current().state);
  if (!learned.ok()) {
    RequireTold(learned.status());
    Require(after == before, "an error leaves the state as it was");
    return;
  }
  Require(fold.current().revision == revision + 1, "a minibatch is one revision");
  Require(learner->DecodeState(after).ok(), "what was learned can be read again",
          learner->DecodeState(after).status().ToString());
  Require(Ledger::Decode(fold.part<Ledger>().Encode()).ok(), "the ledger can be read again");
}

void Run(FuzzInput input) {
  const std::uint8_t kind = input.Byte() % 2;
  const std::shared_ptr<const Learner>& learner = LearnerOf(input.Byte());
  std::string bytes;
  if (kind == kAsItIs) {
    bytes = input.Rest();
  } else {
    const std::string ledger = SealedLedger(input.Part());
    bytes = CaptureBytes(ledger, SealedState(*learner, input.Rest()));
  }
  absl::StatusOr<FoldPoint> restored = DecodeCapture(bytes, *learner);
  if (!restored.ok()) {
    const absl::Status& status = restored.status();
    Require(absl::IsDataLoss(status) || absl::IsFailedPrecondition(status),
            "damage is DATA_LOSS, another version FAILED_PRECONDITION", status.ToString());
    return RequireTold(status);
  }
  const auto bytes_of = [&learner](const FoldPoint& point) {
    return CaptureBytes(std::get<Ledger>(point.parts).Encode(),
                        learner->EncodeState(*point.current.state));
  };
  const std::string again = bytes_of(*restored);
  // Once, for a score that this build does not know is left out, and one that it has begins at 0.
  const absl::StatusOr<FoldPoint> read = DecodeCapture(again, *learner);
  Require(read.ok(), "a capture can be written anew");
  Require(bytes_of(*read) == again, "a capture encodes to its bytes");
  if (InDepth(bytes)) RequireUsable(learner, *std::move(restored));
}

}  // namespace
}  // namespace prequel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  prequel::fuzz::Run({data, size});
  return 0;
}
