#include "core/archive/archive.h"

#include "absl/strings/str_cat.h"
#include "core/archive/crc32c.h"

namespace prequel {
namespace {

constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kChecksumOffset = kMagicBytes + sizeof(std::uint32_t);
constexpr std::size_t kLengthOffset = kChecksumOffset + sizeof(std::uint32_t);
constexpr std::uint64_t kMaxDimension = std::uint64_t{1} << 32;

std::size_t Bytes(Index doubles) { return static_cast<std::size_t>(doubles) * sizeof(double); }

template <class T>
T Load(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// Checksum is over everything except the checksum itself.
std::uint32_t Checksum(std::string_view head, std::string_view length, std::string_view body) {
  return Crc32c(body, Crc32c(length, Crc32c(head)));
}

}  // namespace

void ArchiveWriter::Append(const void* data, std::size_t size) {
  size_ += size;
  if (!counts_) bytes_.append(static_cast<const char*>(data), size);
}

void ArchiveWriter::Value(std::string_view, const std::string& value) {
  Length(value.size());
  Append(value.data(), value.size());
}

void ArchiveWriter::Value(std::string_view, const Vector& value) {
  Length(static_cast<std::uint64_t>(value.size()));
  if (storage_ == Storage::kFloat64) return Append(value.data(), Bytes(value.size()));
  const std::size_t start = bytes_.size();
  const std::size_t size = static_cast<std::size_t>(value.size()) * sizeof(float);
  size_ += size;
  if (counts_) return;
  bytes_.resize(start + size);
  char* out = bytes_.data() + start;
  for (Index i = 0; i < value.size(); ++i, out += sizeof(float)) {
    const auto rounded = static_cast<float>(value[i]);
    std::memcpy(out, &rounded, sizeof(float));
  }
}

void ArchiveWriter::Value(std::string_view, const Matrix& value) {
  Length(static_cast<std::uint64_t>(value.rows()));
  Length(static_cast<std::uint64_t>(value.cols()));
  Append(value.data(), Bytes(value.size()));
}

void ArchiveWriter::LowerTriangle(std::string_view, const Matrix& value) {
  const Index n = value.rows();
  Length(static_cast<std::uint64_t>(n));
  for (Index j = 0; j < n; ++j) Append(value.data() + j * n + j, Bytes(n - j));
}

void ArchiveReader::Fail(std::string_view name, std::string_view problem) {
  if (!ok()) return;
  std::string field;
  path_.push_back(name);
  for (std::string_view part : path_) {
    if (!field.empty() && !part.empty()) field += '.';
    field += part;
  }
  path_.pop_back();
  if (!field.empty()) field += ": ";
  status_ = absl::DataLossError(absl::StrCat(field, std::string(problem)));
}

bool ArchiveReader::Has(std::string_view name, std::uint64_t count, std::size_t size) {
  if (ok() && count > left_.size() / size) {
    Fail(name, absl::StrCat("needs ", count, " × ", size, " bytes, ", left_.size(), " are left"));
  }
  return ok();
}

void ArchiveReader::Copy(void* data, std::size_t size) {
  if (size > 0) std::memcpy(data, left_.data(), size);
  left_.remove_prefix(size);
}

void ArchiveReader::Value(std::string_view name, std::string& value) {
  std::uint64_t length = 0;
  Value(name, length);
  if (!Has(name, length, 1)) return;
  value.assign(left_.data(), length);
  left_.remove_prefix(length);
}

void ArchiveReader::Expect(std::string_view name, std::string_view want) {
  std::string text;
  Value(name, text);
  if (ok() && text != want) Fail(name, "is not the configured one");
}

void ArchiveReader::Value(std::string_view name, Vector& value) {
  std::uint64_t length = 0;
  Value(name, length);
  const bool wide = storage_ == Storage::kFloat64;
  if (!Has(name, length, wide ? sizeof(double) : sizeof(float))) return;
  value.resize(static_cast<Index>(length));
  if (wide) return Copy(value.data(), Bytes(value.size()));
  const char* in = left_.data();
  for (Index i = 0; i < value.size(); ++i, in += sizeof(float)) {
    float rounded;
    std::memcpy(&rounded, in, sizeof(float));
    value[i] = static_cast<double>(rounded);
  }
  left_.remove_prefix(length * sizeof(float));
}

void ArchiveReader::Value(std::string_view name, Matrix& value) {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  Value(name, rows);
  Value(name, columns);
  if (rows >= kMaxDimension || columns >= kMaxDimension) return Fail(name, "is too large");
  if (!Has(name, rows * columns, sizeof(double))) return;
  value.resize(static_cast<Index>(rows), static_cast<Index>(columns));
  Copy(value.data(), Bytes(value.size()));
}

void ArchiveReader::LowerTriangle(std::string_view name, Matrix& value) {
  std::uint64_t length = 0;
  Value(name, length);
  if (length >= kMaxDimension) return Fail(name, "is too large");
  if (!Has(name, length * (length + 1) / 2, sizeof(double))) return;
  const Index n = static_cast<Index>(length);
  value.setZero(n, n);
  for (Index j = 0; j < n; ++j) Copy(value.data() + j * n + j, Bytes(n - j));
}

absl::Status ArchiveReader::Finish() {
  if (!left_.empty()) Fail("", absl::StrCat(left_.size(), " bytes are left over"));
  return status_;
}

std::string Seal(std::string body, std::string_view magic, std::uint32_t version) {
  const std::uint64_t length = body.size();
  std::string head(magic.substr(0, kMagicBytes));
  head.resize(kSealBytes);
  std::memcpy(head.data() + kMagicBytes, &version, sizeof(version));
  std::memcpy(head.data() + kLengthOffset, &length, sizeof(length));
  const std::string_view view = head;
  const std::uint32_t checksum =
      Checksum(view.substr(0, kChecksumOffset), view.substr(kLengthOffset), body);
  std::memcpy(head.data() + kChecksumOffset, &checksum, sizeof(checksum));
  body.insert(0, head);
  return body;
}

absl::StatusOr<std::string_view> Open(std::string_view bytes, std::string_view magic,
                                      std::uint32_t version) {
  const std::string_view begins = bytes.substr(0, kMagicBytes);
  if (begins != magic.substr(0, begins.size())) {
    return absl::DataLossError("archive: does not begin with the expected magic");
  }
  if (bytes.size() < kSealBytes) {
    return absl::DataLossError(
        absl::StrCat("archive: truncated, ", bytes.size(), " bytes are less than its head"));
  }
  const std::uint32_t found = Load<std::uint32_t>(bytes, kMagicBytes);
  if (found != version) {
    return absl::FailedPreconditionError(
        absl::StrCat("archive: version ", found, ", this build reads version ", version));
  }
  const std::string_view body = bytes.substr(kSealBytes);
  const std::uint64_t length = Load<std::uint64_t>(bytes, kLengthOffset);
  if (length != body.size()) {
    return absl::DataLossError(
        absl::StrCat("archive: ", length > body.size() ? "truncated" : "long", ", holds ",
                     body.size(), " bytes of ", length));
  }
  const std::uint32_t checksum =
      Checksum(bytes.substr(0, kChecksumOffset), bytes.substr(kLengthOffset, sizeof(length)), body);
  if (checksum != Load<std::uint32_t>(bytes, kChecksumOffset)) {
    return absl::DataLossError("archive: checksum mismatch");
  }
  return body;
}

}  // namespace prequel
