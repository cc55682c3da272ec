#include "client/cli/output/proto_json.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/type_resolver_util.h"

namespace prequel::cli {
namespace {

// A map's entries have no order in memory; serialized deterministically they come sorted by key.
std::string SortedBytes(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

}  // namespace

std::string ToJson(const google::protobuf::Message& message, bool one_line) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = !one_line;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  const std::unique_ptr<google::protobuf::util::TypeResolver> types(
      google::protobuf::util::NewTypeResolverForDescriptorPool("type.googleapis.com",
                                                               type.file()->pool()));
  std::string json;
  const auto status = google::protobuf::util::BinaryToJsonString(
      types.get(), "type.googleapis.com/" + type.full_name(), SortedBytes(message), &json, options);
  if (!status.ok()) return "null";  // only for malformed Any or Struct
  while (!json.empty() && json.back() == '\n') json.pop_back();
  return json;
}

absl::Status FromJson(const std::string& json, google::protobuf::Message* message) {
  message->Clear();
  const auto status = google::protobuf::util::JsonStringToMessage(json, message);
  if (status.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("not a ", message->GetDescriptor()->name(),
                   " in JSON: ", std::string(status.message().data(), status.message().size())));
}

absl::StatusOr<std::string> ReadText(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path);
    if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  }
  std::istream& stream = path == "-" ? std::cin : file;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

absl::Status FromJsonFile(const std::string& path, google::protobuf::Message* message) {
  const absl::StatusOr<std::string> json = ReadText(path);
  if (!json.ok()) return json.status();
  absl::Status status = FromJson(*json, message);
  if (status.ok()) return status;
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", std::string(status.message())));
}

}  // namespace prequel::cli
