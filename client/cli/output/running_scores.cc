#include "client/cli/output/running_scores.h"

#include <cmath>

#include "google/protobuf/descriptor.h"

namespace prequel::cli {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

bool IsCount(const FieldDescriptor& field) { return field.name() == "examples"; }
bool IsRootMeanSquare(const FieldDescriptor& field) { return field.name() == "rmse"; }
bool IsAdditive(const FieldDescriptor& field) { return field.name() != "ece"; }

// Every score is a double, so a new one on the wire is averaged and shown without a change here.
std::vector<const FieldDescriptor*> ScoreFields() {
  std::vector<const FieldDescriptor*> fields;
  const google::protobuf::Descriptor& descriptor = *v1::Scores::descriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor* field = descriptor.field(i);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE && !IsCount(*field)) {
      fields.push_back(field);
    }
  }
  return fields;
}

bool IsPresent(const v1::Scores& scores, const FieldDescriptor* field) {
  return !field->has_presence() || scores.GetReflection()->HasField(scores, field);
}

}  // namespace

v1::Scores Average(const std::deque<v1::Scores>& parts) {
  v1::Scores average;
  for (const v1::Scores& part : parts) average.set_examples(average.examples() + part.examples());
  for (const FieldDescriptor* field : ScoreFields()) {
    double sum = 0, weight = 0;
    for (const v1::Scores& part : parts) {
      if (part.examples() <= 0 || !IsAdditive(*field) || !IsPresent(part, field)) continue;
      const double value = part.GetReflection()->GetDouble(part, field);
      sum += part.examples() * (IsRootMeanSquare(*field) ? value * value : value);
      weight += part.examples();
    }
    if (weight == 0) continue;
    const double mean = sum / weight;
    average.GetReflection()->SetDouble(&average, field,
                                       IsRootMeanSquare(*field) ? std::sqrt(mean) : mean);
  }
  return average;
}

void RunningScores::Add(const v1::Scores& scores) {
  total_ = Average({total_, scores});
  recent_.push_back(scores);
  if (recent_.size() > window_) recent_.pop_front();
}

std::vector<NamedScore> PresentScores(const v1::Scores& scores) {
  std::vector<NamedScore> present;
  if (scores.examples() <= 0) return present;
  for (const FieldDescriptor* field : ScoreFields()) {
    if (!IsPresent(scores, field)) continue;
    present.push_back({field->name(), scores.GetReflection()->GetDouble(scores, field)});
  }
  return present;
}

void WriteScores(const v1::Scores& scores, JsonWriter& json) {
  json.BeginObject().Key("examples").Number(scores.examples());
  for (const NamedScore& score : PresentScores(scores)) json.Key(score.name).Number(score.value);
  json.EndObject();
}

}  // namespace prequel::cli
