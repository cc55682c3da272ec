#include "core/linalg/buffer.h"

#include <gtest/gtest.h>

namespace prequel::buffer_test {
namespace {

TEST(Buffer, KeepsItsStorageUpToTheLargestSize) {
  Buffer buffer;
  const double* storage = buffer.Resize(4, 10).data();
  for (const Index cols : {1, 7, 10, 3, 10}) {
    const Buffer::View view = buffer.Resize(4, cols);
    EXPECT_EQ(view.data(), storage);
    EXPECT_EQ(view.rows(), 4);
    EXPECT_EQ(view.cols(), cols);
  }
  EXPECT_EQ(buffer.Resize(20, 2).data(), storage);
  buffer.Resize(5, 10).setConstant(3);
  EXPECT_EQ(std::as_const(buffer).view().sum(), 150);
}

}  // namespace
}  // namespace prequel::buffer_test
