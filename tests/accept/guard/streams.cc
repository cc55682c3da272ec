#include "tests/accept/guard/streams.h"

#include "client/client.h"
#include "tests/accept/guard/calls.h"
#include "tests/bench/served.h"

namespace prequel::accept {

Streams::Streams(const Entrance& server, const std::vector<std::string>& models, int rows,
                 int columns) {
  for (const std::string& model : models) {
    threads_.emplace_back([this, address = server.address, model, rows, columns] {
      const v1::Batch batch = Zeros(rows, columns, true);
      client::Client client({.server = address});
      const auto stream = client.OpenLearnStream(model, {}, [this](const client::LearnAck& ack) {
        MustBeOk(ack.result.status());
        ++learned_;
      });
      while (!stop_) MustBeOk(stream->Send(batch));
      MustBeOk(stream->Finish());
    });
  }
}

Streams::~Streams() {
  stop_ = true;
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace prequel::accept
