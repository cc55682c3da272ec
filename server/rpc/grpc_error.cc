#include "server/rpc/grpc_error.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "google/rpc/error_details.pb.h"
#include "proto/prequel/v1/utf8.h"
#include "server/auth/quotas/quota_refusal.h"
#include "server/engine/fold/origin.h"
#include "server/memory/shortage.h"
#include "server/wire/error_message.h"

namespace prequel {
namespace {

// Error details travel in HTTP/2 headers, which clients bound at 8 KiB.
constexpr std::size_t kMaxMessage = 1024;
constexpr std::size_t kMaxModel = 128;

absl::Status Shortened(const absl::Status& status) {
  if (status.message().size() <= kMaxMessage) return status;
  const std::string message(status.message());
  absl::Status shorter(status.code(), std::string(v1::Utf8Prefix(message, kMaxMessage)));
  status.ForEachPayload([&shorter](absl::string_view type, const absl::Cord& payload) {
    if (payload.size() <= kMaxMessage) shorter.SetPayload(type, payload);
  });
  return shorter;
}

}  // namespace

google::rpc::Status RpcError(const absl::Status& status, std::string_view model) {
  std::map<std::string, std::string> metadata;
  if (!model.empty()) metadata["model"] = std::string(v1::Utf8Prefix(model, kMaxModel));
  if (const std::int64_t expected = ExpectedSequence(status); expected > 0) {
    metadata[wire::kExpectedSequence] = std::to_string(expected);
  }
  const std::optional<QuotaRefusal> refusal = QuotaRefusalOf(status);
  if (refusal) {
    metadata[wire::kQuota] = refusal->quota;
    metadata["quota_of"] = refusal->owner;
  }
  const std::optional<Shortage> shortage = ShortageOf(status);
  if (shortage) {
    metadata[wire::kBudget] = shortage->budget;
    metadata["wanted_bytes"] = std::to_string(shortage->wanted);
    metadata["used_bytes"] = std::to_string(shortage->used);
    metadata["limit_bytes"] = std::to_string(shortage->limit);
  }
  google::rpc::Status proto = wire::ErrorToProto(Shortened(status), metadata);
  const std::chrono::milliseconds pause = refusal    ? refusal->retry_after
                                          : shortage ? shortage->retry_after
                                                     : std::chrono::milliseconds(0);
  if (refusal || pause.count() > 0) {
    google::rpc::RetryInfo retry;
    const std::int64_t milliseconds = pause.count();
    retry.mutable_retry_delay()->set_seconds(milliseconds / 1000);
    retry.mutable_retry_delay()->set_nanos(static_cast<int>(milliseconds % 1000) * 1'000'000);
    proto.add_details()->PackFrom(retry);
  }
  return proto;
}

grpc::Status GrpcStatus(const absl::Status& status, std::string_view model) {
  if (status.ok()) return grpc::Status::OK;
  const google::rpc::Status error = RpcError(status, model);
  return {static_cast<grpc::StatusCode>(error.code()), error.message(), error.SerializeAsString()};
}

}  // namespace prequel
