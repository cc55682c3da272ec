#include "core/models/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>

namespace prequel::activation_test {
namespace {

struct Activated {
  Matrix values, slopes;
};

Activated Apply(std::string_view name, const Matrix& z) {
  Buffer values, slopes;
  values.Resize(z.rows(), z.cols()) = z;
  slopes.Resize(z.rows(), z.cols());
  Activate(ActivationNamed(name), values.view(), slopes.view());
  return {values.view(), slopes.view()};
}

// More than one block of gelu, and not a multiple of any packet.
Matrix Points() { return Vector::LinSpaced(331, -8, 8); }

TEST(Activation, TanhIsTheLibraryFunction) {
  const Activated a = Apply("tanh", Points());
  EXPECT_LT((a.values.array() - Points().array().tanh()).abs().maxCoeff(), 5e-16);
}

TEST(Activation, GeluIsItsFormula) {
  const Activated a = Apply("gelu", Points());
  for (Index k = 0; k < Points().size(); ++k) {
    const double z = Points()(k);
    const double u = std::sqrt(2 / M_PI) * (z + 0.044715 * z * z * z);
    EXPECT_NEAR(a.values(k), 0.5 * z * (1 + std::tanh(u)), 5e-15);
  }
}

TEST(Activation, SlopesAreDerivatives) {
  constexpr double kStep = 1e-4;
  const Matrix z = Points().array() + 0.003;  // off the kink of relu
  for (const char* name : {"tanh", "relu", "gelu", "identity"}) {
    const Matrix up = Apply(name, z.array() + kStep).values;
    const Matrix down = Apply(name, z.array() - kStep).values;
    const Matrix slopes = Apply(name, z).slopes;
    EXPECT_LT(((up - down) / (2 * kStep) - slopes).cwiseAbs().maxCoeff(), 1e-7) << name;
  }
}

TEST(Activation, ExtremesAreFinite) {
  Vector z(6);
  z << -1e3, 1e3, -1e300, 1e300, -800, 800;
  const Activated tanh = Apply("tanh", z);
  for (Index k = 0; k < z.size(); ++k) {
    EXPECT_EQ(tanh.values(k), z[k] > 0 ? 1 : -1);
    EXPECT_EQ(tanh.slopes(k), 0);
  }
  const Activated gelu = Apply("gelu", z.head(2));
  EXPECT_EQ(gelu.values(0), 0);
  EXPECT_EQ(gelu.values(1), 1e3);
  EXPECT_EQ(gelu.slopes(0), 0);
  EXPECT_EQ(gelu.slopes(1), 1);
}

TEST(Activation, NaNStaysNaN) {
  const Vector z = Vector::Constant(9, std::numeric_limits<double>::quiet_NaN());
  for (const char* name : {"tanh", "relu", "gelu", "identity"}) {
    EXPECT_TRUE(Apply(name, z).values.array().isNaN().all()) << name;
  }
}

}  // namespace
}  // namespace prequel::activation_test
