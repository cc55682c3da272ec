// JSON in the order in which it is written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prequel::cli {

// Builds one document. Inside an object call Key before each value. Numbers are the shortest
// that read back exactly; NaN and infinities become null.
class JsonWriter {
 public:
  JsonWriter& BeginObject() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& BeginArray() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }
  JsonWriter& Key(std::string_view key);

  JsonWriter& String(std::string_view value);
  JsonWriter& Number(double value);
  JsonWriter& Integer(long long value);
  JsonWriter& Bool(bool value);

  const std::string& text() const { return text_; }

 private:
  JsonWriter& Open(char bracket);
  JsonWriter& Close(char bracket);
  void Separate();
  void Quote(std::string_view value);

  std::string text_;
  bool first_ = true;  // no comma before what comes next
};

}  // namespace prequel::cli
