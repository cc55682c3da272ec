// How single models do, as metrics.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace prometheus {
struct MetricFamily;
}

namespace prequel {

// One model at a scrape. Scores are of the recent past; nothing where one does not apply.
struct ModelLook {
  std::string name;
  double revision = 0;
  double rows = 0;               // that were scored
  double unseen_categories = 0;  // values that were of a category new to the model
  std::optional<double> nll, accuracy, coverage, ece;
  std::optional<double> skill;  // the nll of repeating the last target, less its own
  std::optional<double> drift_rate;
  std::optional<double> newest_row_age;  // in seconds; nothing before the server has seen it learn
  std::map<std::string, bool> alarms;    // whether it is raised, by cause
};

// Appends a family for each of these, with a label that names the model.
void AppendModels(const std::vector<ModelLook>& looks,
                  std::vector<prometheus::MetricFamily>& families);

}  // namespace prequel
