#include "server/wire/parts.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/parts/part_list.h"
#include "google/protobuf/struct.pb.h"

namespace prequel::wire {
namespace {

v1::PartOption::Type TypeOf(OptionKind kind) {
  switch (kind) {
    case OptionKind::kFlag:
      return v1::PartOption::TYPE_FLAG;
    case OptionKind::kNumber:
      return v1::PartOption::TYPE_NUMBER;
    case OptionKind::kWhole:
      return v1::PartOption::TYPE_WHOLE;
    case OptionKind::kWord:
      return v1::PartOption::TYPE_WORD;
    case OptionKind::kNumberOrWord:
      return v1::PartOption::TYPE_NUMBER_OR_WORD;
    case OptionKind::kNumbers:
      return v1::PartOption::TYPE_NUMBERS;
    case OptionKind::kTable:
      break;
  }
  return v1::PartOption::TYPE_TABLE;
}

// Tables have no defaults.
void ValueToProto(const OptionValue& value, google::protobuf::Value* proto) {
  if (const bool* flag = std::get_if<bool>(&value)) proto->set_bool_value(*flag);
  if (const double* number = std::get_if<double>(&value)) proto->set_number_value(*number);
  if (const auto* word = std::get_if<std::string>(&value)) proto->set_string_value(*word);
  if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
    auto* list = proto->mutable_list_value();
    for (const double number : *numbers) list->add_values()->set_number_value(number);
  }
}

void OptionToProto(const PartOption& option, v1::PartOption* proto) {
  const OptionSpec& spec = option.spec;
  proto->set_name(spec.name);
  proto->set_type(TypeOf(spec.kind));
  proto->set_range(spec.range);
  proto->mutable_words()->Add(spec.words.begin(), spec.words.end());
  if (spec.by_default && !option.needed) {
    ValueToProto(*spec.by_default, proto->mutable_default_value());
  }
  proto->set_help(spec.help);
  proto->mutable_where()->insert(option.where.begin(), option.where.end());
  proto->set_needed(option.needed);
  for (const OtherDefault& other : option.otherwise) {
    v1::OtherDefault* out = proto->add_otherwise();
    out->mutable_where()->insert(other.where.begin(), other.where.end());
    ValueToProto(other.value, out->mutable_default_value());
  }
}

}  // namespace

void PartsToProto(v1::ListPartsResponse* proto) {
  for (const PartInfo& part : ListParts()) {
    v1::Part* out = proto->add_parts();
    out->set_kind(part.kind);
    out->set_name(part.name);
    out->set_help(part.help);
    out->set_cost(part.cost);
    out->set_usual(part.usual);
    for (const PartOption& option : part.options) OptionToProto(option, out->add_options());
    for (const auto& [kind, names] : part.combines) {
      v1::Combination* combination = out->add_combinations();
      combination->set_kind(kind);
      combination->mutable_names()->Add(names.begin(), names.end());
    }
  }
}

}  // namespace prequel::wire
