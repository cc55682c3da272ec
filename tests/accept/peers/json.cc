#include "tests/accept/peers/json.h"

#include <cmath>
#include <cstdio>

namespace prequel::peers {

void Json::Open(std::string_view name) {
  Name(name);
  text_ += "{";
  first_ = true;
}

void Json::Close() {
  text_ += "\n}";
  first_ = false;
}

void Json::Number(std::string_view name, double value) {
  Name(name);
  Append(value);
}

void Json::Numbers(std::string_view name, const std::vector<double>& values) {
  Name(name);
  text_ += "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text_ += ", ";
    Append(values[i]);
  }
  text_ += "]";
}

void Json::Rows(std::string_view name, ConstMatrixRef values) {
  Name(name);
  Append(values);
}

void Json::Tables(std::string_view name, const std::vector<Matrix>& tables) {
  Name(name);
  text_ += "[";
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (i > 0) text_ += ",\n";
    Append(tables[i]);
  }
  text_ += "]";
}

void Json::Name(std::string_view name) {
  text_ += first_ ? "\n\"" : ",\n\"";
  text_.append(name) += "\": ";
  first_ = false;
}

void Json::Append(double value) {
  if (std::isnan(value)) {
    text_ += "NaN";
  } else if (std::isinf(value)) {
    text_ += value > 0 ? "Infinity" : "-Infinity";
  } else {
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%.17g", value);
    text_ += digits;
  }
}

void Json::Append(ConstMatrixRef values) {
  text_ += "[";
  for (Index i = 0; i < values.rows(); ++i) {
    text_ += i > 0 ? ", [" : "[";
    for (Index j = 0; j < values.cols(); ++j) {
      if (j > 0) text_ += ", ";
      Append(values(i, j));
    }
    text_ += "]";
  }
  text_ += "]";
}

}  // namespace prequel::peers
