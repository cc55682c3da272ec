// A matrix whose storage only grows, where Matrix::resize would reallocate for every new size.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

template <class Scalar>
class BasicBuffer {
 public:
  using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using View = Eigen::Map<Dense, Eigen::AlignedMax>;
  using ConstView = Eigen::Map<const Dense, Eigen::AlignedMax>;

  // rows × cols with unspecified contents. Allocates, and invalidates earlier views, only when
  // rows · cols exceeds every size asked for before.
  View Resize(Index rows, Index cols) {
    if (storage_.size() < rows * cols) storage_.resize(rows * cols);
    rows_ = rows;
    cols_ = cols;
    return view();
  }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  View view() { return {storage_.data(), rows_, cols_}; }
  ConstView view() const { return {storage_.data(), rows_, cols_}; }

 private:
  Eigen::Matrix<Scalar, Eigen::Dynamic, 1> storage_;
  Index rows_ = 0, cols_ = 0;
};

using Buffer = BasicBuffer<double>;
using SingleBuffer = BasicBuffer<float>;

}  // namespace prequel
