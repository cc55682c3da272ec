#include "client/cli/config/config_flags.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/cli/config/name_list.h"
#include "client/cli/output/proto_json.h"
#include "client/cli/session.h"
#include "client/data/moment.h"
#include "client/data/nearest_name.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/struct.pb.h"

namespace prequel::cli {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

google::protobuf::Value ParseValue(const std::string& text) {
  google::protobuf::Value value;
  const bool list = text.find(',') != std::string::npos && text.find_first_of("[{\"") != 0;
  if (list) {
    for (const std::string& item : std::vector<std::string>(absl::StrSplit(text, ','))) {
      *value.mutable_list_value()->add_values() = ParseValue(item);
    }
  } else if (text.empty() || !FromJson(text, &value).ok()) {
    value.set_string_value(text);
  }
  return value;
}

v1::Feature ParseFeature(const std::string& text) {
  v1::Feature feature;
  std::string name = text;
  if (name.size() > 1 && name.back() == '?') {
    feature.set_allow_missing(true);
    name.pop_back();
  }
  const std::size_t colon = name.rfind(':');
  const std::string suffix = colon == std::string::npos ? "" : name.substr(colon + 1);
  std::uint32_t width = 0;
  if (suffix == "text") {
    feature.set_kind(v1::Feature::KIND_CATEGORICAL);
    name.resize(colon);
  } else if (absl::SimpleAtoi(suffix, &width)) {
    feature.set_width(width);
    name.resize(colon);
  }
  for (const client::MomentForm& form : client::kMomentForms) {
    const std::size_t moment_width = client::MomentWidth(form);
    if (feature.width() > 0 || !client::MomentColumnOf(name, moment_width)) continue;
    feature.set_width(static_cast<std::uint32_t>(moment_width));
  }
  feature.set_name(name);
  return feature;
}

absl::Status ApplyInputs(const std::string& inputs, v1::ModelConfig* config) {
  config->clear_features();
  std::uint32_t width = 0;
  if (absl::SimpleAtoi(inputs, &width)) {
    v1::Feature& feature = *config->add_features();
    feature.set_name("x");
    feature.set_width(width);
    return absl::OkStatus();
  }
  const absl::StatusOr<std::vector<std::string>> names = NameList("--inputs", inputs);
  if (!names.ok()) return names.status();
  for (const std::string& text : *names) *config->add_features() = ParseFeature(text);
  return absl::OkStatus();
}

absl::Status ApplyHashBuckets(const std::string& flag, v1::ModelConfig* config) {
  const absl::StatusOr<std::vector<HashedInput>> inputs = HashedInputs(flag);
  if (!inputs.ok()) return inputs.status();
  for (const HashedInput& input : *inputs) {
    auto& features = *config->mutable_features();
    const auto found = std::find_if(features.begin(), features.end(),
                                    [&](const v1::Feature& f) { return f.name() == input.name; });
    if (found == features.end()) {
      return UsageError(absl::StrCat("--hash-buckets ", flag, ": no input '", input.name, "'"));
    }
    found->set_kind(v1::Feature::KIND_CATEGORICAL);
    found->clear_max_categories();
    found->set_hash_buckets(input.buckets);
  }
  return absl::OkStatus();
}

void SetOption(v1::Component* component, const std::string& key, google::protobuf::Value value) {
  (*component->mutable_options()->mutable_fields())[key] = std::move(value);
}

void SetName(const std::string& name, v1::Component* (v1::ModelConfig::*part)(),
             v1::ModelConfig* config) {
  if (name.empty()) return;
  v1::Component* component = (config->*part)();
  // Another alternative has other options.
  if (component->name() != name) component->Clear();
  component->set_name(name);
}

absl::Status ParseStandardize(const std::string& text, v1::Encoding::Standardize* value) {
  if (text == "none") *value = v1::Encoding::STANDARDIZE_NONE;
  if (text == "running") *value = v1::Encoding::STANDARDIZE_RUNNING;
  if (*value != v1::Encoding::STANDARDIZE_UNSPECIFIED) return absl::OkStatus();
  return UsageError(absl::StrCat("standardize: '", text, "' is neither none nor running"));
}

absl::Status ApplyEncoding(const ConfigFlags& flags, v1::ModelConfig* config) {
  for (const bool inputs : {true, false}) {
    const std::string& text = inputs ? flags.standardize_inputs : flags.standardize_targets;
    if (text.empty()) continue;
    v1::Encoding::Standardize value = v1::Encoding::STANDARDIZE_UNSPECIFIED;
    if (absl::Status status = ParseStandardize(text, &value); !status.ok()) return status;
    v1::Encoding& encoding = *config->mutable_encoding();
    inputs ? encoding.set_inputs(value) : encoding.set_targets(value);
  }
  return absl::OkStatus();
}

absl::Status ApplyTarget(const ConfigFlags& flags, v1::ModelConfig* config) {
  v1::Target& target = *config->mutable_target();
  if (!flags.target.empty()) target.set_name(flags.target);
  if (flags.target_width) target.set_width(*flags.target_width);
  if (flags.allow_missing_target) target.set_allow_missing(true);
  // Either says how many classes there are.
  if (flags.classes || !flags.labels.empty()) {
    target.clear_num_classes();
    target.clear_labels();
  }
  if (flags.classes) target.set_num_classes(*flags.classes);
  const absl::StatusOr<std::vector<std::string>> labels = NameList("--labels", flags.labels);
  if (!labels.ok()) return labels.status();
  target.mutable_labels()->Add(labels->begin(), labels->end());
  return absl::OkStatus();
}

// The parts of ModelConfig that take options: its message fields that are not data descriptions.
std::vector<std::string> PartNames() {
  std::vector<std::string> names;
  const Descriptor& descriptor = *v1::ModelConfig::descriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor& field = *descriptor.field(i);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field.is_repeated()) {
      names.push_back(field.name());
    }
  }
  return names;
}

// `{"key": value}` merged into `part`, for parts with fields of their own.
absl::Status MergeField(const std::string& key, const google::protobuf::Value& value,
                        Message* part) {
  google::protobuf::Struct object;
  (*object.mutable_fields())[key] = value;
  std::unique_ptr<Message> parsed(part->New());
  absl::Status status = FromJson(ToJson(object), parsed.get());
  if (!status.ok()) return UsageError(std::string(status.message()));
  part->MergeFrom(*parsed);
  return absl::OkStatus();
}

}  // namespace

absl::Status ApplyOption(const std::string& option, v1::ModelConfig* config) {
  const std::size_t equals = option.find('=');
  const std::size_t dot = option.find('.');
  if (equals == std::string::npos || dot == std::string::npos || dot > equals || dot == 0 ||
      dot + 1 == equals) {
    return UsageError(absl::StrCat("--option ", option, " is not part.key=value"));
  }
  const std::string part_name = option.substr(0, dot);
  const std::string key = option.substr(dot + 1, equals - dot - 1);
  const FieldDescriptor* field = v1::ModelConfig::descriptor()->FindFieldByName(part_name);
  const std::vector<std::string> parts = PartNames();
  if (field == nullptr || field->is_repeated() || field->message_type() == nullptr) {
    const std::string nearest = client::NearestName(part_name, parts);
    return UsageError(absl::StrCat("--option ", option, ": no part '", part_name, "'; ",
                                   nearest.empty() ? "the parts are " + absl::StrJoin(parts, ", ")
                                                   : "did you mean '" + nearest + "'?"));
  }
  google::protobuf::Value value = ParseValue(option.substr(equals + 1));
  Message* part = config->GetReflection()->MutableMessage(config, field);
  if (field->message_type() != v1::Component::descriptor()) return MergeField(key, value, part);
  SetOption(static_cast<v1::Component*>(part), key, std::move(value));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<HashedInput>> HashedInputs(const std::string& flag) {
  const absl::StatusOr<std::vector<std::string>> texts = NameList("--hash-buckets", flag);
  if (!texts.ok()) return texts.status();
  std::vector<HashedInput> inputs;
  for (const std::string& text : *texts) {
    const std::size_t colon = text.rfind(':');
    HashedInput input{text.substr(0, colon), 0};
    if (colon == std::string::npos || !absl::SimpleAtoi(text.substr(colon + 1), &input.buckets) ||
        input.buckets == 0) {
      return UsageError(absl::StrCat("--hash-buckets ", flag, ": '", text,
                                     "' is not NAME:BUCKETS, such as user:1024"));
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

absl::Status ApplyFlags(const ConfigFlags& flags, v1::ModelConfig* config) {
  absl::Status status;
  if (!flags.inputs.empty()) status = ApplyInputs(flags.inputs, config);
  if (status.ok()) status = ApplyHashBuckets(flags.hash_buckets, config);
  if (status.ok()) status = ApplyTarget(flags, config);
  if (!status.ok()) return status;
  SetName(flags.model, &v1::ModelConfig::mutable_model, config);
  SetName(flags.likelihood, &v1::ModelConfig::mutable_likelihood, config);
  SetName(flags.prior, &v1::ModelConfig::mutable_prior, config);
  SetName(flags.posterior, &v1::ModelConfig::mutable_posterior, config);
  SetName(flags.rule, &v1::ModelConfig::mutable_rule, config);
  SetName(flags.dynamics, &v1::ModelConfig::mutable_dynamics, config);
  SetName(flags.calibration, &v1::ModelConfig::mutable_calibration, config);
  SetName(flags.robustness, &v1::ModelConfig::mutable_robustness, config);
  if (!flags.hidden.empty()) {
    google::protobuf::Value sizes = ParseValue(flags.hidden + ",");
    sizes.mutable_list_value()->mutable_values()->RemoveLast();
    SetOption(config->mutable_model(), "hidden", std::move(sizes));
  }
  if (!flags.activation.empty()) {
    SetOption(config->mutable_model(), "activation", ParseValue(flags.activation));
  }
  if (flags.prior_precision) {
    google::protobuf::Value precision;
    precision.set_number_value(*flags.prior_precision);
    SetOption(config->mutable_prior(), "precision", std::move(precision));
  }
  if (status = ApplyEncoding(flags, config); !status.ok()) return status;
  if (flags.seed) config->set_seed(*flags.seed);
  if (flags.window) config->mutable_evaluation()->set_window(*flags.window);
  for (const std::string& option : flags.options) {
    if (status = ApplyOption(option, config); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace prequel::cli
