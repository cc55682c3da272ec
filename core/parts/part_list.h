// Every part that a model can be made of, as the parts say it themselves.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/config/option_record.h"

namespace prequel {

// OtherDefault is another default than the usual one, where something is chosen.
struct OtherDefault {
  std::map<std::string, std::string> where;  // options and the words that are chosen for them
  OptionValue value;

  bool operator==(const OtherDefault&) const = default;
};

struct PartOption {
  OptionSpec spec;
  std::map<std::string, std::string> where;  // what must be chosen for it to be an option at all
  bool needed = false;                       // it has no default
  std::vector<OtherDefault> otherwise;
};

struct PartInfo {
  std::string kind, name;  // "rule", "rvga"
  std::string help, cost;  // a line each; cost may be empty
  bool usual = false;      // of its kind, unless another is named or chosen for a model
  std::vector<PartOption> options;
  // `combines` lists, by kind, the parts that it can be combined with, where that is not all of
  // them.
  std::map<std::string, std::vector<std::string>> combines;
};

// ListParts lists them in the order in which a configuration is made, then the queries. Options
// whose range depends on a model's size are those of a network of 16 inputs and 32 units.
const std::vector<PartInfo>& ListParts();

}  // namespace prequel
