// A matrix whose storage only grows, where Matrix::resize would reallocate for every new size.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

class Buffer {
 public:
  using View = Eigen::Map<Matrix, Eigen::AlignedMax>;
  using ConstView = Eigen::Map<const Matrix, Eigen::AlignedMax>;

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
  Vector storage_;
  Index rows_ = 0, cols_ = 0;
};

}  // namespace prequel
