// A server that is started again, on what the last one has left and somebody has changed.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>

#include "tests/accept/guard/bystander.h"
#include "tests/accept/guard/program.h"

namespace prequel::accept {

// What a bystander is given before; then the server is killed.
Stretch TakeQuietAndKill(Program& program);

// Starts it: the seconds until the bystander's model answers. Gives up after a minute.
double StartAndAwaitBystander(Program& program);

// Asks a linear model of so many columns.
grpc::Status Ask(const Program& program, const std::string& id, int columns);

}  // namespace prequel::accept
