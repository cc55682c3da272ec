#include "server/engine/history/model_copy.h"

#include <memory>
#include <string_view>
#include <utility>

#include "server/engine/fold/stored_config.h"
#include "server/engine/history/capture.h"

namespace prequel {

ModelFold AtBeginning(ModelFold fold) {
  const std::shared_ptr<const Learner> learner = fold.learner();
  FoldPoint point = std::move(fold).Release();
  point.current.next_offset = 0;
  return ModelFold(learner, std::move(point));
}

absl::StatusOr<ModelFile> ToFile(const ModelFold& fold, const Codec& codec,
                                 std::int64_t create_time_us, const std::string& build) {
  absl::StatusOr<std::string> config = WriteConfig(*fold.learner(), codec);
  if (!config.ok()) return config.status();
  ModelFile file{.revision = fold.current().revision,
                 .create_time_us = create_time_us,
                 .build = build,
                 .config = *std::move(config)};
  const absl::Status written = WriteCapture(CaptureOf({}, fold), [&file](std::string_view chunk) {
    file.body.append(chunk);
    return absl::OkStatus();
  });
  if (!written.ok()) return written;
  return file;
}

absl::StatusOr<ModelFold> FromFile(const ModelFile& file, const Codec& codec) {
  const auto learner = ReadConfig(file.config, codec);
  if (!learner.ok()) return learner.status();
  absl::StatusOr<FoldPoint> point = DecodeCapture(file.body, **learner);
  if (!point.ok()) return point.status();
  if (point->current.revision != file.revision) {
    return absl::DataLossError("the model file holds another revision than it says");
  }
  return ModelFold(*learner, *std::move(point));
}

}  // namespace prequel
