#include "client/cli/config/config_difference.h"

#include "client/cli/output/proto_json.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/struct.pb.h"

namespace prequel::cli {

absl::StatusOr<v1::ModelConfig> ReplacedConfig(const v1::ModelConfig& base,
                                               const std::string& json) {
  v1::ModelConfig given;
  if (absl::Status status = FromJson(json, &given); !status.ok()) return status;
  // A message does not tell a number that is 0 from one that is not there; the object does.
  google::protobuf::Struct object;
  if (absl::Status status = FromJson(json, &object); !status.ok()) return status;
  v1::ModelConfig config = base;
  const google::protobuf::Descriptor& type = *v1::ModelConfig::descriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *type.field(i);
    const bool named =
        object.fields().contains(field.name()) || object.fields().contains(field.json_name());
    if (named) config.GetReflection()->ClearField(&config, &field);
  }
  config.MergeFrom(given);
  return config;
}

}  // namespace prequel::cli
