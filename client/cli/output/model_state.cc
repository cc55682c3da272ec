#include "client/cli/output/model_state.h"

#include "absl/strings/str_cat.h"
#include "client/cli/output/table.h"

namespace prequel::cli {

std::string StateName(const v1::Model& model) {
  if (model.serving()) return "serving";
  return model.state() == v1::Model::STATE_STARTING ? "starting" : "failed";
}

std::string StateText(const v1::Model& model) {
  const std::string name = StateName(model);
  if (name == "serving") return name;
  if (name == "failed") return absl::StrCat(name, ": ", model.problem());
  if (model.replay().records() == 0) return name;
  return absl::StrCat(name, ": ", Count(model.replay().folded()), " of ",
                      Count(model.replay().records()), " records of its log folded again");
}

}  // namespace prequel::cli
