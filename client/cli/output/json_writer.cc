#include "client/cli/output/json_writer.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "client/data/number.h"

namespace prequel::cli {

JsonWriter& JsonWriter::Open(char bracket) {
  Separate();
  text_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::Close(char bracket) {
  text_ += bracket;
  first_ = false;
  return *this;
}

void JsonWriter::Separate() {
  if (!first_) text_ += ", ";
  first_ = false;
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  Separate();
  Quote(key);
  text_ += ": ";
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view value) {
  Separate();
  Quote(value);
  return *this;
}

JsonWriter& JsonWriter::Number(double value) {
  Separate();
  text_ += std::isfinite(value) ? client::ShortestNumber(value) : "null";
  return *this;
}

JsonWriter& JsonWriter::Integer(long long value) {
  Separate();
  text_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::Bool(bool value) {
  Separate();
  text_ += value ? "true" : "false";
  return *this;
}

void JsonWriter::Quote(std::string_view value) {
  text_ += '"';
  for (char c : value) {
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text_ += absl::StrFormat("\\u%04x", static_cast<int>(c));
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

}  // namespace prequel::cli
