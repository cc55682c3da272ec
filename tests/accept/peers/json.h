// Numbers by name, written as JSON that Python's reader takes: NaN and Infinity by these names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/linalg/types.h"

namespace prequel::peers {

class Json {
 public:
  // An object within the present one, until its Close.
  void Open(std::string_view name);
  void Close();

  void Number(std::string_view name, double value);
  void Numbers(std::string_view name, const std::vector<double>& values);
  // A list of its rows.
  void Rows(std::string_view name, ConstMatrixRef values);
  // A list of the lists of the rows of each.
  void Tables(std::string_view name, const std::vector<Matrix>& tables);

  // The whole. REQUIRES: every object is closed.
  std::string Text() const { return "{" + text_ + "\n}\n"; }

 private:
  void Name(std::string_view name);
  void Append(double value);
  void Append(ConstMatrixRef values);

  std::string text_;
  bool first_ = true;  // in the present object
};

}  // namespace prequel::peers
