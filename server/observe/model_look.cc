#include "server/observe/model_look.h"

#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>

#include <functional>
#include <utility>

namespace prequel {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;

struct Shown {
  const char* name;
  const char* help;
  std::function<std::optional<double>(const ModelLook&)> value;
};

const std::vector<Shown>& AllShown() {
  static const std::vector<Shown>* const all = new std::vector<Shown>{
      {"prequel_model_revision", "Minibatches that the model has folded in",
       [](const ModelLook& look) { return look.revision; }},
      {"prequel_model_rows", "Rows that the model was scored on",
       [](const ModelLook& look) { return look.rows; }},
      {"prequel_model_unseen_categories",
       "Values learned of a category that the model had not met, or had no room for",
       [](const ModelLook& look) { return look.unseen_categories; }},
      {"prequel_model_nll", "Negative log likelihood per row of late, in nats",
       [](const ModelLook& look) { return look.nll; }},
      {"prequel_model_accuracy", "Share of rows of late whose label was the most probable one",
       [](const ModelLook& look) { return look.accuracy; }},
      {"prequel_model_coverage", "Share of targets of late within the central 90 % interval",
       [](const ModelLook& look) { return look.coverage; }},
      {"prequel_model_ece", "Expected calibration error of late",
       [](const ModelLook& look) { return look.ece; }},
      {"prequel_model_skill", "The nll of repeating the last target, less the model's, of late",
       [](const ModelLook& look) { return look.skill; }},
      {"prequel_model_drift_rate",
       "Of the prior's variances, what the model's beliefs regain per row",
       [](const ModelLook& look) { return look.drift_rate; }},
      {"prequel_model_newest_row_age_seconds", "Seconds since the model last learned",
       [](const ModelLook& look) { return look.newest_row_age; }},
  };
  return *all;
}

ClientMetric MetricOf(const ModelLook& look, double value) {
  ClientMetric metric;
  metric.label.push_back({"model", look.name});
  metric.gauge.value = value;
  return metric;
}

}  // namespace

void AppendModels(const std::vector<ModelLook>& looks, std::vector<MetricFamily>& families) {
  if (looks.empty()) return;
  for (const Shown& shown : AllShown()) {
    MetricFamily family{shown.name, shown.help, prometheus::MetricType::Gauge, {}};
    for (const ModelLook& look : looks) {
      const std::optional<double> value = shown.value(look);
      if (value.has_value()) family.metric.push_back(MetricOf(look, *value));
    }
    if (!family.metric.empty()) families.push_back(std::move(family));
  }
  MetricFamily alarms{"prequel_model_alarm",
                      "1 while the alarm is raised that the model's world has changed, by cause",
                      prometheus::MetricType::Gauge,
                      {}};
  for (const ModelLook& look : looks) {
    for (const auto& [cause, raised] : look.alarms) {
      alarms.metric.push_back(MetricOf(look, raised ? 1 : 0));
      alarms.metric.back().label.push_back({"cause", cause});
    }
  }
  if (!alarms.metric.empty()) families.push_back(std::move(alarms));
}

}  // namespace prequel
