#include "server/wire/option.h"

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"

namespace prequel::wire {
namespace {

using google::protobuf::Value;

absl::StatusOr<OptionValue> OptionFromProto(const Value& value, const std::string& field) {
  switch (value.kind_case()) {
    case Value::kBoolValue:
      return OptionValue(value.bool_value());
    case Value::kNumberValue:
      return OptionValue(value.number_value());
    case Value::kStringValue:
      return OptionValue(value.string_value());
    case Value::kListValue: {
      std::vector<double> numbers;
      for (const Value& element : value.list_value().values()) {
        if (element.kind_case() != Value::kNumberValue) {
          return FieldError(field, "a list may hold numbers only");
        }
        numbers.push_back(element.number_value());
      }
      return OptionValue(std::move(numbers));
    }
    default:
      return FieldError(field, "must be a boolean, a number, a string or a list of numbers");
  }
}

}  // namespace

absl::Status OptionsFromProto(const google::protobuf::Struct& proto, const std::string& path,
                              std::map<std::string, OptionValue>* options) {
  for (const auto& [key, value] : proto.fields()) {
    absl::StatusOr<OptionValue> option =
        OptionFromProto(value, absl::StrCat(path, ".options.", key));
    if (!option.ok()) return option.status();
    options->emplace(key, *std::move(option));
  }
  return absl::OkStatus();
}

}  // namespace prequel::wire
