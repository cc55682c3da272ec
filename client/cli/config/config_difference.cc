#include "client/cli/config/config_difference.h"

#include <algorithm>

#include "client/cli/output/proto_json.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"

namespace prequel::cli {

namespace {

using google::protobuf::Value;

// Without the fields that hold their defaults.
google::protobuf::Struct ObjectOf(const v1::ModelConfig& config) {
  std::string json;
  google::protobuf::Struct object;
  if (google::protobuf::util::MessageToJsonString(config, &json).ok()) {
    (void)FromJson(json, &object);
  }
  return object;
}

// Whether `value` has all that `wanted` has: of an object these members, of a list as many items.
bool Holds(const Value& value, const Value& wanted) {
  if (value.kind_case() != wanted.kind_case()) return false;
  if (wanted.has_struct_value()) {
    const auto& members = value.struct_value().fields();
    for (const auto& [name, member] : wanted.struct_value().fields()) {
      const auto found = members.find(name);
      if (found == members.end() || !Holds(found->second, member)) return false;
    }
    return true;
  }
  if (!wanted.has_list_value()) return ToJson(value) == ToJson(wanted);
  const auto& items = value.list_value().values();
  const auto& wanted_items = wanted.list_value().values();
  return std::equal(items.begin(), items.end(), wanted_items.begin(), wanted_items.end(), Holds);
}

}  // namespace

std::vector<std::string> DifferingFields(const v1::ModelConfig& config,
                                         const v1::ModelConfig& wanted) {
  const google::protobuf::Struct has = ObjectOf(config), asked = ObjectOf(wanted);
  std::vector<std::string> fields;
  for (const auto& [name, value] : asked.fields()) {
    const auto found = has.fields().find(name);
    if (found == has.fields().end() || !Holds(found->second, value)) fields.push_back(name);
  }
  std::sort(fields.begin(), fields.end());
  return fields;
}

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
