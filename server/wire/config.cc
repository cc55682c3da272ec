#include "server/wire/config.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "core/encoding/category_table.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/struct.pb.h"
#include "server/wire/option.h"
#include "server/wire/tensor_message.h"

namespace prequel::wire {
namespace {

using google::protobuf::Value;

absl::StatusOr<OptionValue> OptionFromTensor(const v1::Tensor& tensor, const std::string& field) {
  absl::StatusOr<Matrix> matrix =
      MatrixFromTensor(tensor, Rank::kVectorOrMatrix, ConfigLimits::kMaxParameters, field);
  if (!matrix.ok()) return matrix.status();
  std::vector<double> numbers(matrix->data(), matrix->data() + matrix->size());
  if (tensor.shape_size() == 1) return OptionValue(std::move(numbers));
  return OptionValue(NumberTable{tensor.shape(0), tensor.shape(1), std::move(numbers)});
}

absl::Status ComponentFromProto(const v1::Component& proto, const std::string& field,
                                ComponentConfig* component) {
  component->name = proto.name();
  absl::Status status = OptionsFromProto(proto.options(), field, &component->options);
  if (!status.ok()) return status;
  for (const auto& [key, tensor] : proto.arrays()) {
    const std::string of = absl::StrCat(field, ".arrays.", key);
    if (component->options.contains(key)) return FieldError(of, "is among the options as well");
    absl::StatusOr<OptionValue> option = OptionFromTensor(tensor, of);
    if (!option.ok()) return option.status();
    component->options.emplace(key, *std::move(option));
  }
  return absl::OkStatus();
}

constexpr std::size_t kLongList = 64;  // a list that is longer travels packed

bool IsSingle(double number) {
  return std::abs(number) <= std::numeric_limits<float>::max() &&
         static_cast<double>(static_cast<float>(number)) == number;
}

// PackNumbers uses single precision when that loses nothing.
void PackNumbers(const std::vector<double>& numbers, const std::vector<Index>& shape,
                 v1::Tensor* tensor) {
  tensor->mutable_shape()->Assign(shape.begin(), shape.end());
  if (!std::all_of(numbers.begin(), numbers.end(), IsSingle)) {
    tensor->set_dtype(v1::Tensor::DTYPE_FLOAT64);
    tensor->mutable_data()->assign(reinterpret_cast<const char*>(numbers.data()),
                                   numbers.size() * sizeof(double));
    return;
  }
  const std::vector<float> singles(numbers.begin(), numbers.end());
  tensor->set_dtype(v1::Tensor::DTYPE_FLOAT32);
  tensor->mutable_data()->assign(reinterpret_cast<const char*>(singles.data()),
                                 singles.size() * sizeof(float));
}

// An option that travels packed; false for any other.
struct ArrayWriter {
  const std::string& key;
  v1::Component* proto;
  v1::Tensor* tensor() const { return &(*proto->mutable_arrays())[key]; }

  bool operator()(const std::vector<double>& list) const {
    if (list.size() <= kLongList) return false;
    PackNumbers(list, {static_cast<Index>(list.size())}, tensor());
    return true;
  }
  bool operator()(const NumberTable& table) const {
    PackNumbers(table.numbers, {table.rows, table.columns}, tensor());
    return true;
  }
  bool operator()(const auto& /*option*/) const { return false; }
};

struct OptionWriter {
  Value* value;
  void operator()(bool option) const { value->set_bool_value(option); }
  void operator()(double option) const { value->set_number_value(option); }
  void operator()(const std::string& option) const { value->set_string_value(option); }
  void operator()(const std::vector<double>& option) const {
    auto* list = value->mutable_list_value();
    for (double number : option) list->add_values()->set_number_value(number);
  }
  void operator()(const NumberTable& /*packed*/) const {}
};

void ComponentToProto(const ComponentConfig& component, v1::Component* proto) {
  proto->set_name(component.name);
  auto& fields = *proto->mutable_options()->mutable_fields();
  for (const auto& [key, option] : component.options) {
    if (std::visit(ArrayWriter{key, proto}, option)) continue;
    std::visit(OptionWriter{&fields[key]}, option);
  }
}

absl::Status FeatureFromProto(const v1::Feature& proto, const std::string& field,
                              FeatureConfig* feature) {
  if (!v1::Feature::Kind_IsValid(proto.kind())) {
    return FieldError(field + ".kind", "must be KIND_NUMERIC or KIND_CATEGORICAL");
  }
  feature->name = proto.name();
  const bool categorical = proto.kind() == v1::Feature::KIND_CATEGORICAL;
  feature->kind = categorical ? FeatureConfig::Kind::kCategorical : FeatureConfig::Kind::kNumeric;
  if (proto.width() > 0) feature->width = proto.width();
  feature->allow_missing = proto.allow_missing();
  if (proto.max_categories() > 0 || proto.hash_buckets() > 0) {
    feature->max_categories = proto.max_categories();
  }
  feature->hash_buckets = proto.hash_buckets();
  return absl::OkStatus();
}

void FeatureToProto(const FeatureConfig& feature, v1::Feature* proto) {
  const bool categorical = feature.kind == FeatureConfig::Kind::kCategorical;
  proto->set_name(feature.name);
  proto->set_kind(categorical ? v1::Feature::KIND_CATEGORICAL : v1::Feature::KIND_NUMERIC);
  proto->set_width(static_cast<std::uint32_t>(feature.width));
  proto->set_allow_missing(feature.allow_missing);
  proto->set_max_categories(static_cast<std::uint32_t>(feature.max_categories));
  proto->set_hash_buckets(static_cast<std::uint32_t>(feature.hash_buckets));
}

absl::Status TargetFromProto(const v1::Target& proto, TargetConfig* target) {
  if (!v1::Target::LabelType_IsValid(proto.label_type())) {
    return FieldError("config.target.label_type", "must be a LabelType");
  }
  target->label_type = static_cast<LabelType>(proto.label_type());
  target->name = proto.name();
  target->labels.assign(proto.labels().begin(), proto.labels().end());
  target->num_classes = proto.num_classes();
  if (proto.width() > 0) target->width = proto.width();
  target->allow_missing = proto.allow_missing();
  return absl::OkStatus();
}

// The two have the same numbers.
static_assert(static_cast<int>(LabelType::kBool) == v1::Target::LABEL_TYPE_BOOL &&
              static_cast<int>(LabelType::kUnknown) == v1::Target::LABEL_TYPE_UNSPECIFIED);

void TargetToProto(const TargetConfig& target, v1::Target* proto) {
  proto->set_name(target.name);
  for (const std::string& label : target.labels) proto->add_labels(label);
  proto->set_num_classes(static_cast<std::uint32_t>(target.num_classes));
  proto->set_width(static_cast<std::uint32_t>(target.width));
  proto->set_allow_missing(target.allow_missing);
  proto->set_label_type(static_cast<v1::Target::LabelType>(target.label_type));
}

absl::Status StandardizeFromProto(v1::Encoding::Standardize proto, const std::string& field,
                                  Standardize* standardize) {
  switch (proto) {
    case v1::Encoding::STANDARDIZE_UNSPECIFIED:
      *standardize = Standardize::kDefault;
      return absl::OkStatus();
    case v1::Encoding::STANDARDIZE_NONE:
      *standardize = Standardize::kNone;
      return absl::OkStatus();
    case v1::Encoding::STANDARDIZE_RUNNING:
      *standardize = Standardize::kRunning;
      return absl::OkStatus();
    default:
      return FieldError(field, "must be STANDARDIZE_NONE or STANDARDIZE_RUNNING");
  }
}

v1::Encoding::Standardize StandardizeToProto(Standardize standardize) {
  switch (standardize) {
    case Standardize::kNone:
      return v1::Encoding::STANDARDIZE_NONE;
    case Standardize::kRunning:
      return v1::Encoding::STANDARDIZE_RUNNING;
    case Standardize::kDefault:
      break;
  }
  return v1::Encoding::STANDARDIZE_UNSPECIFIED;
}

absl::Status PartsFromProto(const v1::ModelConfig& proto, LearnerConfig* config) {
  absl::Status status = ComponentFromProto(proto.model(), "config.model", &config->model);
  if (status.ok()) {
    status = ComponentFromProto(proto.likelihood(), "config.likelihood", &config->likelihood);
  }
  if (status.ok()) status = ComponentFromProto(proto.prior(), "config.prior", &config->prior);
  if (status.ok()) {
    status = ComponentFromProto(proto.posterior(), "config.posterior", &config->posterior);
  }
  if (status.ok()) status = ComponentFromProto(proto.rule(), "config.rule", &config->rule);
  if (status.ok()) {
    status = ComponentFromProto(proto.dynamics(), "config.dynamics", &config->dynamics);
  }
  if (status.ok()) {
    status = ComponentFromProto(proto.calibration(), "config.calibration", &config->calibration);
  }
  if (status.ok()) {
    status = ComponentFromProto(proto.robustness(), "config.robustness", &config->robustness);
  }
  if (status.ok()) {
    status = StandardizeFromProto(proto.encoding().inputs(), "config.encoding.inputs",
                                  &config->standardize_inputs);
  }
  if (status.ok()) {
    status = StandardizeFromProto(proto.encoding().targets(), "config.encoding.targets",
                                  &config->standardize_targets);
  }
  return status;
}

absl::Status CheckName(const std::string& name, const std::string& field) {
  const auto bytes = static_cast<Index>(name.size());
  if (bytes <= kMaxTextBytes) return absl::OkStatus();
  return FieldError(field,
                    absl::StrCat("must have at most ", kMaxTextBytes, " bytes, has ", bytes));
}

}  // namespace

absl::StatusOr<LearnerConfig> ConfigFromProto(const v1::ModelConfig& proto) {
  LearnerConfig config;
  if (proto.features_size() > ConfigLimits::kMaxFeatures) {
    return FieldError("config.features",
                      absl::StrCat("has ", proto.features_size(), " features, the limit is ",
                                   ConfigLimits::kMaxFeatures));
  }
  config.features.resize(static_cast<std::size_t>(proto.features_size()));
  for (int i = 0; i < proto.features_size(); ++i) {
    const absl::Status status =
        FeatureFromProto(proto.features(i), absl::StrCat("config.features[", i, "]"),
                         &config.features[static_cast<std::size_t>(i)]);
    if (!status.ok()) return status;
  }
  absl::Status status = TargetFromProto(proto.target(), &config.target);
  if (status.ok()) status = PartsFromProto(proto, &config);
  if (!status.ok()) return status;
  config.standardize_window = proto.encoding().window();
  if (proto.encoding().clip() != 0) config.input_clip = proto.encoding().clip();
  if (proto.evaluation().window() != 0) config.evaluation_window = proto.evaluation().window();
  config.seed = proto.seed();
  return config;
}

absl::StatusOr<LearnerConfig> NewConfigFromProto(const v1::ModelConfig& proto) {
  absl::Status status = CheckName(proto.target().name(), "config.target.name");
  for (int i = 0; status.ok() && i < proto.features_size(); ++i) {
    const std::string field = absl::StrCat("config.features[", i, "].name");
    status = CheckName(proto.features(i).name(), field);
    if (!proto.features(i).name().empty()) continue;
    status = FieldError(field, "is needed: errors, files and clients know a column by its name");
  }
  if (!status.ok()) return status;
  return ConfigFromProto(proto);
}

void ConfigToProto(const LearnerConfig& config, v1::ModelConfig* proto) {
  for (const FeatureConfig& feature : config.features) {
    FeatureToProto(feature, proto->add_features());
  }
  TargetToProto(config.target, proto->mutable_target());
  ComponentToProto(config.model, proto->mutable_model());
  ComponentToProto(config.likelihood, proto->mutable_likelihood());
  ComponentToProto(config.prior, proto->mutable_prior());
  ComponentToProto(config.posterior, proto->mutable_posterior());
  ComponentToProto(config.rule, proto->mutable_rule());
  if (config.dynamics != ComponentConfig()) {  // as before there were any
    ComponentToProto(config.dynamics, proto->mutable_dynamics());
  }
  if (config.calibration != ComponentConfig()) {  // likewise
    ComponentToProto(config.calibration, proto->mutable_calibration());
  }
  if (config.robustness != ComponentConfig()) {  // likewise
    ComponentToProto(config.robustness, proto->mutable_robustness());
  }
  proto->mutable_encoding()->set_inputs(StandardizeToProto(config.standardize_inputs));
  proto->mutable_encoding()->set_targets(StandardizeToProto(config.standardize_targets));
  proto->mutable_encoding()->set_window(config.standardize_window);
  proto->mutable_encoding()->set_clip(config.input_clip);
  proto->mutable_evaluation()->set_window(config.evaluation_window);
  proto->set_seed(config.seed);
}

absl::StatusOr<LearnerConfig> ConfigFromBytes(std::string_view bytes) {
  v1::ModelConfig proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::DataLossError("not a serialized prequel.v1.ModelConfig");
  }
  return ConfigFromProto(proto);
}

std::string ConfigToBytes(const LearnerConfig& config) {
  v1::ModelConfig proto;
  ConfigToProto(config, &proto);
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);  // options are a map
  proto.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

}  // namespace prequel::wire
