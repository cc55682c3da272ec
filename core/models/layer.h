// Where the parameters of a dense layer lie in θ.
#pragma once

#include <vector>

#include "core/linalg/types.h"

namespace prequel {

// DenseLayer has weights (outputs × inputs, column major) from `offset`, then `outputs` biases when
// has_bias.
struct DenseLayer {
  Index offset = 0;
  Index inputs = 0;
  Index outputs = 0;
  bool has_bias = true;

  Index bias_offset() const { return offset + outputs * inputs; }
  Index columns() const { return inputs + (has_bias ? 1 : 0); }  // of [W b]
  Index size() const { return outputs * columns(); }

  // PlaceOf returns which weight or bias of θ is at `index`. REQUIRES: it lies in this layer.
  struct Place {
    Index output = 0;
    Index input = -1;
    bool is_bias() const { return input < 0; }
  };
  Place PlaceOf(Index index) const {
    if (index >= bias_offset()) return {index - bias_offset()};
    return {(index - offset) % outputs, (index - offset) / outputs};
  }
};

using Layers = std::vector<DenseLayer>;  // first to last, together θ

// NumParams is D.
inline Index NumParams(const Layers& layers) {
  Index params = 0;
  for (const DenseLayer& layer : layers) params += layer.size();
  return params;
}

}  // namespace prequel
