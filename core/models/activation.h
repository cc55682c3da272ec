// The non-linearities of hidden layers, elementwise and vectorised.
#pragma once

#include <string_view>

#include "core/linalg/buffer.h"

namespace prequel {

//   tanh      1 − 2/(e^{2z} + 1)
//   relu      max(z, 0), slope 0 at 0
//   gelu      ½ z (1 + tanh(√(2/π)(z + 0.044715 z³)))   (Hendrycks and Gimpel 2016, eq. 2)
//   identity  z
enum class Activation { kTanh, kRelu, kGelu, kIdentity };

// REQUIRES: `name` is one of the four above.
Activation ActivationNamed(std::string_view name);

// values: z on entry, φ(z) on return; slopes: φ'(z). NaN gives NaN.
void Activate(Activation activation, Buffer::View values, Buffer::View slopes);

}  // namespace prequel
