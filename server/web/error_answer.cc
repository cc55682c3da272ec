#include "server/web/error_answer.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace prequel {

HttpAnswer ErrorAnswer(unsigned status, std::string_view message) {
  using Json = nlohmann::json;
  HttpAnswer answer;
  answer.status = status;
  answer.type = "application/json";
  // What a client sent may be in the message, and need not be UTF-8.
  answer.body =
      Json{{"error", std::string(message)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  return answer;
}

HttpAnswer MethodNotAllowed(std::string allow) {
  HttpAnswer answer = ErrorAnswer(405, "only " + allow);
  answer.allow = std::move(allow);
  return answer;
}

}  // namespace prequel
