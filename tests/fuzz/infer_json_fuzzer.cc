// The body of an inference by HTTP: JSON, and the contents behind it, up to the batch and the
// question that the model is asked.
//
// The input chooses a model, says how many bytes are behind the JSON (0: no header says so), and
// holds the body. What is read is of the datatypes and shapes that it says, and no larger than some
// multiple of the body; a refusal names its field.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/inference/infer_batch.h"
#include "server/inference/infer_question.h"
#include "server/inference/json_request.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/learners.h"
#include "tests/fuzz/refusal.h"

namespace prequel::fuzz {
namespace {

constexpr Index kMaxRows = 64;
// A tensor, of which three bytes make one, is the largest thing for its text.
constexpr std::size_t kGrowth = 256, kAtLeast = std::size_t{1} << 12;

// What the server has parsed when a request is not refused.
void Check(const inference::ModelInferRequest& request, std::size_t body_bytes) {
  Require(request.SpaceUsedLong() <= kAtLeast + kGrowth * body_bytes,
          "a request is no larger than some multiple of its body");
  const Index rows = RowsIn(request, kMaxRows).count;
  Require(rows >= 0 && rows <= kMaxRows, "rows can be counted");
}

void Run(FuzzInput input) {
  const Learner& learner = *LearnerOf(input.Byte());
  const std::size_t low = input.Byte(), behind = low | std::size_t{input.Byte()} << 8;
  const std::string_view body = input.Rest();
  std::optional<std::size_t> json_length;
  if (behind > 0) json_length = body.size() - std::min(body.size(), behind);
  const auto request = InferRequestFromJson(body, json_length, kMaxRows);
  if (!request.ok()) return RequireTold(request.status());
  Check(*request, body.size());
  const absl::StatusOr<Moment> moment = MomentOf(*request);
  if (!moment.ok()) return RequireTold(moment.status());
  const absl::StatusOr<Batch> batch = BatchFromInfer(*request, learner.config().features, kMaxRows);
  if (!batch.ok()) return RequireTold(batch.status());
  Require(batch->rows() >= 1 && batch->rows() <= kMaxRows, "rows are within their limit");
  const RowsAsked claimed = RowsIn(*request, kMaxRows);
  Require(batch->rows() == claimed.count, "quotas count the rows that are asked");
  Require(batch->times.size() == 0 || claimed.timed, "times are seen before they are read");
  const absl::StatusOr<PredictOptions> question = QuestionOf(*request, learner);
  if (!question.ok()) return RequireTold(question.status());
  const absl::StatusOr<QuerySet> asked = learner.Ask(*question);
  if (!asked.ok()) RequireTold(asked.status());
}

}  // namespace
}  // namespace prequel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  prequel::fuzz::Run({data, size});
  return 0;
}
