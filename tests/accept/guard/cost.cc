#include "tests/accept/guard/cost.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/client.h"
#include "client/make_tensor.h"
#include "tests/accept/guard/papers.h"
#include "tests/accept/guard/program.h"
#include "tests/accept/timing.h"
#include "tests/bench/served.h"

namespace prequel::accept {
namespace {

constexpr int kRounds = 9, kPredicts = 400, kStreamed = 500, kRows = 16;
constexpr char kModel[] = "m", kWho[] = "admin";

v1::Batch Query() {
  v1::Batch query;
  const std::vector<double> values(kRows * kServedInputs, 0.1);
  *query.mutable_inputs() = client::MakeTensor(values, {kRows, kServedInputs});
  return query;
}

double SecondsOfPredict(client::Client& client, const v1::Batch& query) {
  return Seconds([&] { MustBeOk(client.Predict(kModel, query).status()); });
}

// Minibatches a second of one stream.
double SpeedOfStream(client::Client& client) {
  return kStreamed / Seconds([&] {
           const auto stream = client.OpenLearnStream(
               kModel, {}, [](const client::LearnAck& ack) { MustBeOk(ack.result.status()); });
           for (int i = 0; i < kStreamed; ++i) MustBeOk(stream->Send(ServedMinibatch(i)));
           MustBeOk(stream->Finish());
         });
}

// Of one kind of server, round by round.
struct Measured {
  std::vector<double> predict;  // median seconds
  std::vector<double> stream;   // minibatches a second
};

// Both in turns, so that whatever else the machine does is beside both.
void MeasureRound(client::Client& plain, client::Client& secured, Measured& of_plain,
                  Measured& of_secured) {
  static const v1::Batch kQuery = Query();
  std::vector<double> plain_seconds, secured_seconds;
  for (int i = 0; i < kPredicts; ++i) {
    plain_seconds.push_back(SecondsOfPredict(plain, kQuery));
    secured_seconds.push_back(SecondsOfPredict(secured, kQuery));
  }
  of_plain.predict.push_back(Quantile(plain_seconds, 0.5));
  of_secured.predict.push_back(Quantile(secured_seconds, 0.5));
  of_plain.stream.push_back(SpeedOfStream(plain));
  of_secured.stream.push_back(SpeedOfStream(secured));
}

double MedianRatio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
  return Quantile(ratios, 0.5);
}

}  // namespace

void MeasureCost(Report& report) {
  report.Section("what TLS and a token cost");
  report.Describe(absl::StrCat(
      "Two servers, one with TLS and a policy, and a client of each; medians of ", kRounds,
      " rounds. In a round each answers ", kPredicts, " Predicts of ", kRows,
      " rows, one of one and one of the other in turn, then a LearnStream of ", kStreamed,
      " minibatches of ", kServedRows, " rows; the model has ", kServedInputs, " inputs."));
  const ScratchFolder folder;
  const Papers papers(folder.path(), {{kWho, "admin", "*"}});
  const Program plain, secured(papers.Flags());
  client::Client plainly({.server = plain.grpc()});
  client::Client securely(papers.OptionsOf(kWho, secured.grpc()));
  for (client::Client* client : {&plainly, &securely}) {
    MustBeOk(client->CreateModel(kModel, ServedConfig()).status());
  }
  Measured of_plain, of_secured, ignored;
  MeasureRound(plainly, securely, ignored, ignored);  // connections, caches
  for (int i = 0; i < kRounds; ++i) MeasureRound(plainly, securely, of_plain, of_secured);
  report.Add({"p50 of Predict with TLS and a token over plain",
              MedianRatio(of_secured.predict, of_plain.predict), 0, 1.3, Direction::kAtMost,
              Text("%.0f us and %.0f us", {1e6 * Quantile(of_secured.predict, 0.5),
                                           1e6 * Quantile(of_plain.predict, 0.5)})});
  report.Add(
      {"minibatches a second of LearnStream with TLS and a token over plain",
       MedianRatio(of_secured.stream, of_plain.stream), 0, 0.9, Direction::kAtLeast,
       Text("%.0f and %.0f", {Quantile(of_secured.stream, 0.5), Quantile(of_plain.stream, 0.5)})});
}

}  // namespace prequel::accept
