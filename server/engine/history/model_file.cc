#include "server/engine/history/model_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/archive/archive.h"
#include "core/archive/crc32c.h"

namespace prequel {
namespace {

constexpr std::string_view kMagic = "PREQUELX";
constexpr std::uint32_t kModelFileVersion = 1;
constexpr std::size_t kPrologue = 8 + 4;  // magic, version
constexpr std::size_t kMaxPayload = std::size_t{1} << 20;
constexpr std::size_t kFrame = 1 + 4 + 4;  // type, length, CRC

constexpr char kHeadFrame = 'h', kBodyFrame = 'b', kEndFrame = 'e';

template <class T>
void Append(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <class T>
T Load(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

// type | length (u32) | payload | CRC of all before it
std::string Frame(char type, std::string_view payload) {
  std::string frame(1, type);
  frame.reserve(kFrame + payload.size());
  Append(static_cast<std::uint32_t>(payload.size()), &frame);
  frame.append(payload);
  Append(Crc32c(frame), &frame);
  return frame;
}

absl::Status Damaged(std::string_view what) {
  return absl::DataLossError(absl::StrCat("the model file ", std::string(what)));
}

}  // namespace

template <class A>
void Archive(A& a, Field<A, ModelFile>& s) {
  a.Value("revision", s.revision);
  a.Value("create_time_us", s.create_time_us);
  a.Value("build", s.build);
  a.Value("config", s.config);
}

std::string ModelFileWriter::Next() {
  switch (part_) {
    case Part::kHead: {
      part_ = Part::kBody;
      std::string piece(kMagic);
      Append(kModelFileVersion, &piece);
      const std::string head = ToArchive(file_);
      for (std::size_t at = 0; at < head.size(); at += kMaxPayload) {
        piece += Frame(kHeadFrame, std::string_view(head).substr(at, kMaxPayload));
      }
      return piece;
    }
    case Part::kBody: {
      const std::string_view left = std::string_view(file_.body).substr(written_);
      if (left.size() <= kMaxPayload) part_ = Part::kEnd;
      written_ += std::min(left.size(), kMaxPayload);
      return Frame(kBodyFrame, left.substr(0, kMaxPayload));
    }
    case Part::kEnd: {
      part_ = Part::kDone;
      std::string length;
      Append(std::uint64_t{file_.body.size()}, &length);
      return Frame(kEndFrame, length);
    }
    case Part::kDone:
      break;
  }
  return "";
}

absl::Status ModelFileReader::Add(std::string_view bytes) {
  pending_.append(bytes);
  if (!begun_) {
    const std::string_view begin = std::string_view(pending_).substr(0, kMagic.size());
    if (begin != kMagic.substr(0, begin.size())) return Damaged("does not begin as one");
    if (pending_.size() < kPrologue) return absl::OkStatus();
    const auto version = Load<std::uint32_t>(std::string_view(pending_).substr(kMagic.size()));
    if (version != kModelFileVersion) {
      return absl::FailedPreconditionError(absl::StrCat(
          "the model file has version ", version, ", and this server reads ", kModelFileVersion));
    }
    pending_.erase(0, kPrologue);
    begun_ = true;
  }
  return TakeFrames();
}

absl::Status ModelFileReader::TakeFrames() {
  std::string_view left = pending_;
  while (left.size() >= 5) {
    const auto length = Load<std::uint32_t>(left.substr(1));
    // Nothing is believed before its CRC, and no more than this is kept that long.
    if (length > kMaxPayload) return Damaged("has a frame that is too long");
    if (left.size() < kFrame + length) break;
    const std::string_view frame = left.substr(0, 5 + length);
    if (Load<std::uint32_t>(left.substr(5 + length)) != Crc32c(frame)) {
      return Damaged(absl::StrCat("is damaged behind ", file_.body.size(), " bytes of its state"));
    }
    if (absl::Status status = TakeFrame(frame[0], frame.substr(5)); !status.ok()) return status;
    left.remove_prefix(kFrame + length);
  }
  pending_.erase(0, pending_.size() - left.size());
  return absl::OkStatus();
}

absl::Status ModelFileReader::TooLong() const {
  return absl::ResourceExhaustedError(
      absl::StrCat("the model file has more than ", max_body_bytes_, " bytes"));
}

absl::Status ModelFileReader::TakeFrame(char type, std::string_view payload) {
  if (ended_) return Damaged("goes on behind its end");
  if (type == kHeadFrame) {
    if (headed_) return Damaged("has its parts out of order");
    if (!head_.empty() && head_.size() + payload.size() > max_body_bytes_) return TooLong();
    head_.append(payload);
    return absl::OkStatus();
  }
  if (!headed_) {
    if (head_.empty()) return Damaged("has its parts out of order");
    headed_ = true;
    if (absl::Status status = FromArchive(head_, file_); !status.ok()) return status;
    head_ = std::string();
  }
  if (type == kBodyFrame) {
    if (file_.body.size() + payload.size() > max_body_bytes_) return TooLong();
    file_.body.append(payload);
    return absl::OkStatus();
  }
  if (type != kEndFrame) return Damaged("has a part of an unknown type");
  ended_ = payload.size() == 8 && Load<std::uint64_t>(payload) == file_.body.size();
  return ended_ ? absl::OkStatus() : Damaged("lacks a part");
}

absl::StatusOr<ModelFile> ModelFileReader::Finish() && {
  if (!ended_ || !pending_.empty()) return Damaged("is cut short");
  return std::move(file_);
}

}  // namespace prequel
