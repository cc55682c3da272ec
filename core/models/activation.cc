#include "core/models/activation.h"

#include <algorithm>

namespace prequel {
namespace {

using Values = Eigen::Map<Eigen::ArrayXd, Eigen::AlignedMax>;

// Eigen does not vectorise tanh in double. This form is exact to 3e-16, and at the ends e^{2z} is
// capped by Eigen or 0, giving ±1.
template <class Array>
void TanhInPlace(Array& z) {
  z = 1 - 2 / ((2 * z).exp() + 1);
}

constexpr Index kBlock = 256;  // worked on while they stay in the first-level cache

void Tanh(Values& a, Values& slope) {
  for (Index start = 0; start < a.size(); start += kBlock) {
    const Index size = std::min(kBlock, a.size() - start);
    Eigen::Block<Values> z(a, start, 0, size, 1);
    TanhInPlace(z);
    slope.segment(start, size) = 1 - z.square();
  }
}

// Gelu has u = c (z + d z³), t = tanh u:  φ = ½ z (1 + t),  φ' = ½ (1 + t)(1 + z (1 − t) u').
void Gelu(Values& a, Values& slope) {
  constexpr double kScale = 0.79788456080286535588;  // √(2/π)
  constexpr double kCubic = 0.044715;
  Eigen::Array<double, Eigen::Dynamic, 1, 0, kBlock, 1> t;
  for (Index start = 0; start < a.size(); start += kBlock) {
    const Index size = std::min(kBlock, a.size() - start);
    Eigen::Block<Values> z(a, start, 0, size, 1);
    t = kScale * z * (1 + kCubic * z.square());
    TanhInPlace(t);
    slope.segment(start, size) =
        0.5 * (1 + t) * (1 + z * (1 - t) * kScale * (1 + 3 * kCubic * z.square()));
    z *= 0.5 * (1 + t);
  }
}

}  // namespace

Activation ActivationNamed(std::string_view name) {
  if (name == "relu") return Activation::kRelu;
  if (name == "gelu") return Activation::kGelu;
  if (name == "identity") return Activation::kIdentity;
  return Activation::kTanh;
}

void Activate(Activation activation, Buffer::View values, Buffer::View slopes) {
  Values a(values.data(), values.size());
  Values slope(slopes.data(), slopes.size());
  switch (activation) {
    case Activation::kTanh:
      return Tanh(a, slope);
    case Activation::kRelu:
      slope = (a > 0).cast<double>();
      a = (a < 0).select(0.0, a);
      return;
    case Activation::kGelu:
      return Gelu(a, slope);
    case Activation::kIdentity:
      slope.setOnes();
      return;
  }
}

}  // namespace prequel
