// What is answered: numbers by name, in the units of the targets as they were pushed.
#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <vector>

#include "core/linalg/types.h"

namespace prequel {

// Output is an array of numbers for every example.
struct Output {
  std::string name;
  // The shape of what one example is answered with: {T} or {T, levels} for T targets, {C} or {C, C}
  // for C classes or logits; empty: one number.
  std::vector<Index> shape;
  std::vector<double> levels;  // that the last dimension goes through, where it is of levels
  Matrix values;               // size() × B: column i is of example i, the last dimension fastest

  Index size() const {
    Index product = 1;
    for (const Index extent : shape) product *= extent;
    return product;
  }
};

struct Answer {
  std::vector<Output> outputs;
  std::vector<std::string> labels;  // of classes, in class order; empty of values

  // Find returns null when it was not asked for.
  const Output* Find(std::string_view name) const {
    for (const Output& output : outputs) {
      if (output.name == name) return &output;
    }
    return nullptr;
  }
  // REQUIRES: it was asked for.
  const Matrix& operator[](std::string_view name) const {
    const Output* output = Find(name);
    assert(output != nullptr);
    return output->values;
  }
};

}  // namespace prequel
