// The format: magic, version (major, minor), the header's length (uint16, from version 2 on
// uint32, little-endian), the header, the elements. The header is a Python dictionary such as
//   {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
// padded with blanks. (numpy.lib.format says the same at length.)
#include "client/data/npy.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace prequel::client {
namespace {

constexpr std::size_t kMaxHeader = 10000;  // as NumPy's own reader has it
constexpr std::size_t kMaxDimensions = 32;

struct Header {
  std::optional<std::string> type;
  std::optional<bool> by_columns;
  std::optional<std::vector<std::int64_t>> shape;

  bool complete() const { return type && by_columns && shape; }
};

// The little of Python's syntax that the header is written in; every reader skips blanks first, and
// takes nothing when it does not find what it is to read.
class HeaderText {
 public:
  explicit HeaderText(std::string_view text) : left_(text) {}

  bool Take(char wanted) {
    Skip();
    if (!left_.starts_with(wanted)) return false;
    left_.remove_prefix(1);
    return true;
  }

  std::optional<std::string> String() {
    Skip();
    const std::size_t end = left_.size() < 2 ? left_.npos : left_.find(left_[0], 1);
    if (end == left_.npos || (left_[0] != '\'' && left_[0] != '"')) return std::nullopt;
    std::string text(left_.substr(1, end - 1));
    left_.remove_prefix(end + 1);
    return text;
  }

  std::optional<bool> Bool() {
    Skip();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!left_.starts_with(word)) continue;
      left_.remove_prefix(word.size());
      return value;
    }
    return std::nullopt;
  }

  // Count takes at most 18 digits, so that the number fits.
  std::optional<std::int64_t> Count() {
    Skip();
    std::int64_t count = 0;
    std::size_t digits = 0;
    for (; digits < left_.size() && left_[digits] >= '0' && left_[digits] <= '9'; ++digits) {
      if (digits == 18) return std::nullopt;
      count = 10 * count + (left_[digits] - '0');
    }
    if (digits == 0) return std::nullopt;
    left_.remove_prefix(digits);
    return count;
  }

  std::optional<std::vector<std::int64_t>> Tuple() {
    std::vector<std::int64_t> counts;
    if (!Take('(')) return std::nullopt;
    while (!Take(')')) {
      const std::optional<std::int64_t> count = Count();
      if (!count || counts.size() == kMaxDimensions) return std::nullopt;
      counts.push_back(*count);
      if (!Take(',')) return Take(')') ? std::optional(counts) : std::nullopt;
    }
    return counts;
  }

  bool AtEnd() {
    Skip();
    return left_.empty();
  }

 private:
  void Skip() {
    const std::size_t first = left_.find_first_not_of(" \t\r\n");
    left_.remove_prefix(first == left_.npos ? left_.size() : first);
  }

  std::string_view left_;
};

absl::Status Damaged(std::string_view what) {
  return absl::DataLossError(absl::StrCat("not a whole .npy file: ", std::string(what)));
}

bool ReadEntry(HeaderText& text, Header& header) {
  const std::optional<std::string> key = text.String();
  if (!key || !text.Take(':')) return false;
  if (*key == "descr" && !header.type) return (header.type = text.String()).has_value();
  if (*key == "fortran_order" && !header.by_columns) {
    return (header.by_columns = text.Bool()).has_value();
  }
  if (*key == "shape" && !header.shape) return (header.shape = text.Tuple()).has_value();
  return false;
}

absl::StatusOr<Header> ReadHeader(std::string_view bytes) {
  HeaderText text(bytes);
  Header header;
  const absl::Status unclear = absl::InvalidArgumentError(
      "a .npy file whose header is not that of one array of plain numbers");
  if (!text.Take('{')) return unclear;
  while (!text.Take('}')) {
    if (!ReadEntry(text, header)) return unclear;
    if (!text.Take(',')) {
      if (!text.Take('}')) return unclear;
      break;
    }
  }
  if (!text.AtEnd() || !header.complete()) return unclear;
  return header;
}

// Takes magic, version and header off `bytes`.
absl::StatusOr<Header> TakeHeader(std::string_view& bytes) {
  if (!bytes.starts_with(kNpyMagic)) return absl::InvalidArgumentError("not a .npy file");
  if (bytes.size() < kNpyMagic.size() + 2) return Damaged("it ends within the header");
  const int major = static_cast<unsigned char>(bytes[kNpyMagic.size()]);
  if (major < 1 || major > 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("a .npy file of version ", major, "; versions 1 to 3 are read"));
  }
  bytes.remove_prefix(kNpyMagic.size() + 2);
  const std::size_t width = major == 1 ? 2 : 4;
  if (bytes.size() < width) return Damaged("it ends within the header");
  std::size_t length = 0;
  for (std::size_t i = 0; i < width; ++i) {
    length |= std::size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  bytes.remove_prefix(width);
  if (length > kMaxHeader) {
    return absl::InvalidArgumentError(absl::StrCat("a .npy file with a header of ", length,
                                                   " bytes; at most ", kMaxHeader, " are read"));
  }
  if (bytes.size() < length) return Damaged("it ends within the header");
  absl::StatusOr<Header> header = ReadHeader(bytes.substr(0, length));
  bytes.remove_prefix(length);
  return header;
}

absl::Status CheckKind(const Header& header) {
  if (*header.type != "<f4" && *header.type != "<f8") {
    return absl::InvalidArgumentError(
        absl::StrCat("a .npy file of elements '", *header.type,
                     "'; '<f4' and '<f8' are read: save array.astype('<f4')"));
  }
  if (header.shape->empty() || header.shape->size() > 2) {
    return absl::InvalidArgumentError(absl::StrCat("a .npy file of shape (",
                                                   absl::StrJoin(*header.shape, ", "),
                                                   "); arrays of one or two dimensions are read"));
  }
  return absl::OkStatus();
}

// elements [rows][columns] of elements [columns][rows].
std::string Transposed(std::string_view elements, std::size_t rows, std::size_t columns,
                       std::size_t size) {
  std::string out;
  out.reserve(elements.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      out.append(elements.substr((j * rows + i) * size, size));
    }
  }
  return out;
}

}  // namespace

absl::StatusOr<v1::Tensor> TensorFromNpy(std::string_view bytes) {
  const absl::StatusOr<Header> header = TakeHeader(bytes);
  if (!header.ok()) return header.status();
  if (absl::Status status = CheckKind(*header); !status.ok()) return status;
  const std::size_t size = *header->type == "<f4" ? 4 : 8;
  std::size_t wanted = size;
  bool fits = true;
  for (const std::int64_t extent : *header->shape) {
    fits = fits && !__builtin_mul_overflow(wanted, static_cast<std::size_t>(extent), &wanted);
  }
  if (!fits || wanted != bytes.size()) {
    return Damaged(absl::StrCat("shape (", absl::StrJoin(*header->shape, ", "), ") needs ",
                                fits ? absl::StrCat(wanted) : "more than 2^64",
                                " bytes, there are ", bytes.size()));
  }
  v1::Tensor tensor;
  tensor.set_dtype(size == 4 ? v1::Tensor::DTYPE_FLOAT32 : v1::Tensor::DTYPE_FLOAT64);
  tensor.mutable_shape()->Assign(header->shape->begin(), header->shape->end());
  if (*header->by_columns && header->shape->size() == 2) {
    *tensor.mutable_data() = Transposed(bytes, static_cast<std::size_t>(header->shape->at(0)),
                                        static_cast<std::size_t>(header->shape->at(1)), size);
  } else {
    tensor.set_data(bytes.data(), bytes.size());
  }
  return tensor;
}

}  // namespace prequel::client
