#include "client/data/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "client/make_tensor.h"

namespace prequel::client::npy_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class T>
std::string Raw(const std::vector<T>& elements) {
  return std::string(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T));
}

std::string Npy(const std::string& header, const std::string& data, int version = 1) {
  std::string bytes(kNpyMagic);
  bytes += {static_cast<char>(version), '\0'};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    bytes.push_back(static_cast<char>(header.size() >> (8 * i)));
  }
  return bytes + header + data;
}

std::string Described(const std::string& type, const std::string& order, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }   \n";
}

std::string Refusal(const std::string& bytes) {
  const absl::StatusOr<v1::Tensor> tensor = TensorFromNpy(bytes);
  return tensor.ok() ? "accepted" : std::string(tensor.status().message());
}

// numpy.save of numpy.array([1.5, -2], dtype='<f4'), byte by byte.
TEST(NpyTest, ReadsWhatNumpyWrites) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  header.append(117 - header.size(), ' ').push_back('\n');
  const std::string bytes = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header +
                            std::string("\0\0\xC0\x3F\0\0\0\xC0", 8);
  ASSERT_EQ(bytes.size(), 128u + 8u);
  const absl::StatusOr<v1::Tensor> tensor = TensorFromNpy(bytes);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->dtype(), v1::Tensor::DTYPE_FLOAT32);
  EXPECT_THAT(tensor->shape(), ElementsAre(2));
  EXPECT_THAT(*TensorValues(*tensor), ElementsAre(1.5, -2));
}

TEST(NpyTest, BothOrdersAndBothTypesAreRowMajor) {
  const std::string rows = Raw<double>({1, 2, 3, 4, 5, 6});
  const std::string columns = Raw<float>({1, 4, 2, 5, 3, 6});
  for (const int version : {1, 2, 3}) {
    for (const std::string& bytes : {Npy(Described("<f8", "False", "(2, 3)"), rows, version),
                                     Npy(Described("<f4", "True", "(2, 3)"), columns, version)}) {
      const absl::StatusOr<v1::Tensor> tensor = TensorFromNpy(bytes);
      ASSERT_TRUE(tensor.ok()) << tensor.status();
      EXPECT_THAT(tensor->shape(), ElementsAre(2, 3));
      EXPECT_THAT(*TensorValues(*tensor), ElementsAre(1, 2, 3, 4, 5, 6));
    }
  }
}

TEST(NpyTest, TheHeadersFormIsFree) {
  const std::string data = Raw<double>({7});
  for (const char* header : {"{'shape':(1,),'descr':\"<f8\",'fortran_order':True}",
                             "{'shape':(1),'descr':'<f8', "
                             "'fortran_order' : False}\n",
                             " { 'descr':'<f8','shape': ( 1 , ) ,'fortran_order':False,}"}) {
    EXPECT_EQ(Refusal(Npy(header, data)), "accepted") << header;
  }
}

TEST(NpyTest, OtherArraysAreRefusedBySayingWhatTheyAre) {
  const std::string data = Raw<double>({1, 2});
  EXPECT_THAT(Refusal(Npy(Described(">f8", "False", "(2,)"), data)), HasSubstr("'>f8'"));
  EXPECT_THAT(Refusal(Npy(Described("<i8", "False", "(2,)"), data)), HasSubstr("'<i8'"));
  EXPECT_THAT(Refusal(Npy(Described("|O", "False", "(2,)"), data)), HasSubstr("'|O'"));
  EXPECT_THAT(Refusal(Npy(Described("<f8", "False", "()"), Raw<double>({1}))),
              HasSubstr("one or two dimensions"));
  EXPECT_THAT(Refusal(Npy(Described("<f8", "False", "(1, 2, 1)"), data)),
              HasSubstr("shape (1, 2, 1)"));
  EXPECT_THAT(
      Refusal(Npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}", data)),
      HasSubstr("one array of plain numbers"));
  EXPECT_THAT(Refusal("PK\x03\x04"), HasSubstr("not a .npy file"));
  EXPECT_THAT(Refusal(Npy(Described("<f8", "False", "(2,)"), data, 4)), HasSubstr("version 4"));
}

TEST(NpyTest, NoHeaderThatIsNotWholeIsBelieved) {
  const std::string data = Raw<double>({1, 2});
  for (const char* header :
       {"", "{", "{}", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'more': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} 1",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999999999,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2"}) {
    EXPECT_THAT(Refusal(Npy(header, data)), HasSubstr("header")) << header;
  }
  EXPECT_THAT(Refusal(Npy(std::string(10001, ' '), data)), HasSubstr("10001 bytes"));
}

TEST(NpyTest, ShapeAndBytesAgreeOrNothingIsRead) {
  const std::string whole = Npy(Described("<f8", "False", "(2,)"), Raw<double>({1, 2}));
  for (std::size_t size = 6; size < whole.size(); ++size) {
    EXPECT_TRUE(absl::IsDataLoss(TensorFromNpy(whole.substr(0, size)).status())) << size;
  }
  EXPECT_TRUE(absl::IsDataLoss(TensorFromNpy(whole + "x").status()));
  const std::string many = "(999999999999999999, 999999999999999999)";
  EXPECT_THAT(Refusal(Npy(Described("<f8", "True", many), "")), HasSubstr("more than 2^64"));
}

}  // namespace
}  // namespace prequel::client::npy_test
