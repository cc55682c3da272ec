#include "server/inference/infer_tensor.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/config/field_error.h"
#include "proto/prequel/v1/utf8.h"

namespace prequel {
namespace {

using Contents = inference::InferTensorContents;

// Each datatype of numbers: an element of raw contents, and where typed ones are.
struct Fp64 {
  using Raw = double;
  static constexpr std::string_view kName = "FP64";
  static const auto& Typed(const Contents& c) { return c.fp64_contents(); }
};
struct Fp32 {
  using Raw = float;
  static constexpr std::string_view kName = "FP32";
  static const auto& Typed(const Contents& c) { return c.fp32_contents(); }
};
struct Int64 {
  using Raw = std::int64_t;
  static constexpr std::string_view kName = "INT64";
  static const auto& Typed(const Contents& c) { return c.int64_contents(); }
};
struct Int32 {
  using Raw = std::int32_t;
  static constexpr std::string_view kName = "INT32";
  static const auto& Typed(const Contents& c) { return c.int_contents(); }
};
struct Int16 : Int32 {
  using Raw = std::int16_t;
  static constexpr std::string_view kName = "INT16";
};
struct Int8 : Int32 {
  using Raw = std::int8_t;
  static constexpr std::string_view kName = "INT8";
};
struct Uint64 {
  using Raw = std::uint64_t;
  static constexpr std::string_view kName = "UINT64";
  static const auto& Typed(const Contents& c) { return c.uint64_contents(); }
};
struct Uint32 {
  using Raw = std::uint32_t;
  static constexpr std::string_view kName = "UINT32";
  static const auto& Typed(const Contents& c) { return c.uint_contents(); }
};
struct Uint16 : Uint32 {
  using Raw = std::uint16_t;
  static constexpr std::string_view kName = "UINT16";
};
struct Uint8 : Uint32 {
  using Raw = std::uint8_t;
  static constexpr std::string_view kName = "UINT8";
};
struct Bool {
  using Raw = std::uint8_t;
  static constexpr std::string_view kName = "BOOL";
  static const auto& Typed(const Contents& c) { return c.bool_contents(); }
};

template <class... Ks>
struct Kinds {
  static std::string Names() { return absl::StrJoin({std::string(Ks::kName)...}, ", "); }
  // Calls f with the kind of that name; false: there is none.
  template <class F>
  static bool With(std::string_view name, const F& f) {
    return ((name == Ks::kName && (f(Ks()), true)) || ...);
  }
};
using Numbers = Kinds<Fp64, Fp32, Int64, Int32, Int16, Int8, Uint64, Uint32, Uint16, Uint8, Bool>;

std::string ShapeText(const InputTensor& tensor) {
  return absl::StrCat("[", absl::StrJoin(tensor.header->shape(), ", "), "]");
}

absl::StatusOr<Index> RowsOf(const InputTensor& tensor, Index columns, Index max_rows) {
  const auto& shape = tensor.header->shape();
  const bool vector = columns == 1 && shape.size() == 1;
  if (!vector && !(shape.size() == 2 && shape.Get(1) == columns)) {
    return tensor.Error(
        "shape", absl::StrCat("must be [rows, ", columns, "]", columns == 1 ? " or [rows]" : "",
                              ", is ", ShapeText(tensor)));
  }
  const std::int64_t rows = shape.Get(0);
  if (rows >= 1 && rows <= max_rows) return rows;
  return tensor.Error(
      "shape", absl::StrCat("is ", ShapeText(tensor), "; rows must be in [1, ", max_rows, "]"));
}

absl::Status CheckLength(const InputTensor& tensor, Index expected, std::size_t actual,
                         const char* unit) {
  if (static_cast<std::size_t>(expected) == actual) return absl::OkStatus();
  return tensor.Error("contents",
                      absl::StrCat("shape ", ShapeText(tensor), " of ", tensor.header->datatype(),
                                   " needs ", expected, " ", unit, ", has ", actual));
}

template <class K>
absl::Status CheckNumbers(const InputTensor& tensor, Index size) {
  if (tensor.raw != nullptr) {
    return CheckLength(tensor, size * static_cast<Index>(sizeof(typename K::Raw)),
                       tensor.raw->size(), "bytes of raw contents");
  }
  const auto& typed = K::Typed(tensor.header->contents());
  return CheckLength(tensor, size, static_cast<std::size_t>(typed.size()),
                     "elements in the field of that datatype");
}

// `at` gives the element of a place in row-major order.
template <class At>
void Spread(Index columns, Index first, Matrix& out, const At& at) {
  for (Index row = 0; row < out.cols(); ++row) {
    double* to = out.data() + row * out.rows() + first;
    for (Index c = 0; c < columns; ++c) to[c] = static_cast<double>(at(row * columns + c));
  }
}

absl::Status CutRaw(const InputTensor& tensor, std::vector<std::string>& texts) {
  std::string_view rest = *tensor.raw;
  for (std::string& text : texts) {
    std::uint32_t length = 0;
    if (rest.size() < sizeof(length)) return tensor.Error("contents", "end before the last text");
    std::memcpy(&length, rest.data(), sizeof(length));
    rest.remove_prefix(sizeof(length));
    if (rest.size() < length) return tensor.Error("contents", "end within a text");
    text = std::string(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  return rest.empty() ? absl::OkStatus() : tensor.Error("contents", "go on after the last text");
}

}  // namespace

absl::Status InputTensor::Error(std::string_view part, std::string_view description) const {
  return FieldError(
      absl::StrCat("inputs[", index, "].", std::string(part)),
      absl::StrCat("of tensor ", Quoted(header->name()), " ", std::string(description)));
}

absl::StatusOr<std::vector<InputTensor>> InputsOf(const inference::ModelInferRequest& request) {
  std::vector<InputTensor> tensors;
  int raw = 0;
  for (int i = 0; i < request.inputs_size(); ++i) {
    const auto& header = request.inputs(i);
    InputTensor tensor{.header = &header, .index = i};
    if (!header.has_contents() && raw < request.raw_input_contents_size()) {
      tensor.raw = &request.raw_input_contents(raw++);
    } else if (!header.has_contents()) {
      return tensor.Error("contents", "are missing: give typed or raw ones");
    }
    tensors.push_back(tensor);
  }
  if (raw == request.raw_input_contents_size()) return tensors;
  return FieldError("raw_input_contents",
                    absl::StrCat("are ", request.raw_input_contents_size(), " for ", raw,
                                 " tensors without typed contents"));
}

absl::StatusOr<Index> NumberRows(const InputTensor& tensor, Index columns, Index max_rows) {
  absl::StatusOr<Index> rows = RowsOf(tensor, columns, max_rows);
  if (!rows.ok()) return rows;
  absl::Status status;
  const bool known = Numbers::With(tensor.header->datatype(), [&]<class K>(K) {
    status = CheckNumbers<K>(tensor, *rows * columns);
  });
  if (!known) {
    return tensor.Error("datatype", absl::StrCat("is ", Quoted(tensor.header->datatype()),
                                                 "; numbers are one of ", Numbers::Names()));
  }
  if (!status.ok()) return status;
  return rows;
}

void ReadNumbers(const InputTensor& tensor, Index columns, Index first, Matrix& out) {
  Numbers::With(tensor.header->datatype(), [&]<class K>(K) {
    if (tensor.raw == nullptr) {
      const auto* typed = K::Typed(tensor.header->contents()).data();
      return Spread(columns, first, out, [typed](Index i) { return typed[i]; });
    }
    const char* bytes = tensor.raw->data();  // need not be aligned
    Spread(columns, first, out, [bytes](Index i) {
      typename K::Raw element;
      std::memcpy(&element, bytes + i * static_cast<Index>(sizeof(element)), sizeof(element));
      return element;
    });
  });
}

absl::StatusOr<std::vector<std::string>> ReadTexts(const InputTensor& tensor, Index max_rows) {
  if (tensor.header->datatype() != "BYTES") {
    return tensor.Error("datatype", absl::StrCat("is ", Quoted(tensor.header->datatype()),
                                                 "; the feature is text, which is BYTES"));
  }
  const absl::StatusOr<Index> rows = RowsOf(tensor, 1, max_rows);
  if (!rows.ok()) return rows.status();
  std::vector<std::string> texts;
  if (tensor.raw != nullptr) {
    texts.resize(static_cast<std::size_t>(*rows));
    absl::Status status = CutRaw(tensor, texts);
    if (!status.ok()) return status;
  } else {
    const auto& typed = tensor.header->contents().bytes_contents();
    absl::Status status =
        CheckLength(tensor, *rows, static_cast<std::size_t>(typed.size()), "texts");
    if (!status.ok()) return status;
    texts.assign(typed.begin(), typed.end());
  }
  for (std::size_t row = 0; row < texts.size(); ++row) {
    if (v1::IsUtf8(texts[row])) continue;
    return tensor.Error("contents", absl::StrCat("row ", row, " is not UTF-8"));
  }
  return texts;
}

}  // namespace prequel
