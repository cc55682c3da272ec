// The names core uses for Eigen's types. One column is one example, everywhere.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace prequel {

using Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using VectorRef = Eigen::Ref<Vector>;
using MatrixRef = Eigen::Ref<Matrix>;
using ConstVectorRef = const Eigen::Ref<const Vector>&;
using ConstMatrixRef = const Eigen::Ref<const Matrix>&;

}  // namespace prequel
