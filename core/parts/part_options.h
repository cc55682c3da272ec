// All options of a part, found by reading them again and again.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/config/option_record.h"
#include "core/parts/part_list.h"

namespace prequel {

// What reading this configuration tells.
using ReadPart = std::function<OptionRecord(const ComponentConfig&)>;

// What is read depends on what is chosen ("milestones", of schedule "multi_step"). So the part
// reads once with nothing given, then with every word of every choice, two choices deep; and with
// each option given whose presence it asks for.
class PartOptions {
 public:
  explicit PartOptions(const ReadPart& read);

  const std::string& help() const { return help_; }
  const std::string& cost() const { return cost_; }
  const std::vector<PartOption>& options() const { return options_; }

 private:
  using Given = std::map<std::string, OptionValue>;

  void Explore(const Given& given, int depth);
  void Add(const OptionRecord& record, const Given& given);

  const ReadPart& read_;
  std::string help_, cost_;
  std::vector<PartOption> options_;
};

}  // namespace prequel
