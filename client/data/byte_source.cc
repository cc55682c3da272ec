#include "client/data/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace prequel::client {
namespace {

constexpr std::size_t kPackedBytes = 1 << 16;
constexpr unsigned char kGzipMark[] = {0x1F, 0x8B};
constexpr int kGzipWindow = 15 + 16;  // the largest window, gzip framing

}  // namespace

struct ByteSource::Inflater {
  z_stream stream = {};
  std::vector<char> packed = std::vector<char>(kPackedBytes);
  bool between_members = false;  // an archive may end here, or another member begin

  Inflater() { inflateInit2(&stream, kGzipWindow); }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  void SetInput(std::size_t size) {
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(size);
  }
};

ByteSource::ByteSource(std::string name, int fd, std::int64_t length)
    : name_(std::move(name)), fd_(fd), length_(length) {}

ByteSource::~ByteSource() { close(fd_); }

absl::StatusOr<std::unique_ptr<ByteSource>> ByteSource::Open(const std::string& path) {
  const bool standard_input = path == "-";
  const int fd = standard_input ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info = {};
  if (fd < 0 || fstat(fd, &info) != 0 || S_ISDIR(info.st_mode)) {
    const std::string why = fd < 0 ? std::strerror(errno) : "it is a directory";
    if (fd >= 0) close(fd);
    return absl::NotFoundError(absl::StrCat("cannot read ", path, ": ", why));
  }
  return std::unique_ptr<ByteSource>(new ByteSource(standard_input ? "standard input" : path, fd,
                                                    S_ISREG(info.st_mode) ? info.st_size : 0));
}

absl::StatusOr<std::size_t> ByteSource::Read(char* out, std::size_t size) {
  if (!detected_) {
    if (absl::Status status = Detect(); !status.ok()) return status;
  }
  if (inflater_) return Inflate(out, size);
  if (head_.empty()) return ReadRaw(out, size);
  const std::size_t count = std::min(size, head_.size());
  std::copy_n(head_.begin(), count, out);
  head_.erase(head_.begin(), head_.begin() + static_cast<std::ptrdiff_t>(count));
  return count;
}

absl::StatusOr<std::size_t> ByteSource::ReadRaw(char* out, std::size_t size) {
  const ssize_t count = read(fd_, out, size);
  if (count < 0 && errno == EINTR) {
    return absl::AbortedError(absl::StrCat(name_, ": reading was interrupted"));
  }
  if (count < 0) {
    return absl::DataLossError(absl::StrCat(name_, " cannot be read: ", std::strerror(errno)));
  }
  taken_ += count;
  return static_cast<std::size_t>(count);
}

absl::Status ByteSource::Detect() {
  while (head_.size() < sizeof(kGzipMark)) {
    char byte = 0;
    absl::StatusOr<std::size_t> count = ReadRaw(&byte, 1);
    if (!count.ok()) return count.status();
    if (*count == 0) break;
    head_.push_back(byte);
  }
  detected_ = true;
  if (head_.size() == sizeof(kGzipMark) &&
      std::memcmp(head_.data(), kGzipMark, sizeof(kGzipMark)) == 0) {
    inflater_ = std::make_unique<Inflater>();
    std::copy(head_.begin(), head_.end(), inflater_->packed.begin());
    inflater_->SetInput(head_.size());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::size_t> ByteSource::Inflate(char* out, std::size_t size) {
  z_stream& stream = inflater_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(out);
  stream.avail_out = static_cast<uInt>(size);
  while (stream.avail_out == size) {
    if (stream.avail_in == 0) {
      absl::StatusOr<std::size_t> count = ReadRaw(inflater_->packed.data(), kPackedBytes);
      if (!count.ok()) return count.status();
      if (*count == 0 && inflater_->between_members) return 0;
      if (*count == 0) return absl::DataLossError(absl::StrCat(name_, " is cut short"));
      inflater_->SetInput(*count);
    }
    if (std::exchange(inflater_->between_members, false)) inflateReset(&stream);
    const int result = inflate(&stream, Z_NO_FLUSH);
    inflater_->between_members = result == Z_STREAM_END;
    if (result != Z_OK && result != Z_STREAM_END) {
      return absl::DataLossError(
          absl::StrCat(name_, " is damaged: ", stream.msg == nullptr ? "not gzip" : stream.msg));
    }
  }
  return size - stream.avail_out;
}

std::optional<double> ByteSource::progress() const {
  if (length_ <= 0) return std::nullopt;
  return static_cast<double>(taken_) / static_cast<double>(length_);
}

}  // namespace prequel::client
