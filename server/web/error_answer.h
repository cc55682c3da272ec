// What the HTTP side answers where it refuses.
#pragma once

#include <string>
#include <string_view>

#include "server/web/http_server.h"

namespace prequel {

// {"error": message} as application/json, under a status of 400 or more. Every refusal by HTTP is
// one: clients read the body of an error as JSON, whoever refused.
HttpAnswer ErrorAnswer(unsigned status, std::string_view message);

// 405 for a path that knows only the methods `allow`, such as "GET, HEAD".
HttpAnswer MethodNotAllowed(std::string allow);

}  // namespace prequel
