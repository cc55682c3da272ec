#include "server/server_options.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/config/field_error.h"
#include "server/command_line.h"

namespace prequel::options_test {
namespace {

TEST(ServerOptionsTest, HostPorts) {
  HostPort address;
  ASSERT_TRUE(ParseHostPort("127.0.0.1:8081", &address).ok());
  EXPECT_EQ(address.host, "127.0.0.1");
  EXPECT_EQ(address.port, 8081);
  ASSERT_TRUE(ParseHostPort("[::1]:0", &address).ok());
  EXPECT_EQ(address.host, "::1");
  for (const char* text : {"", "8081", ":8081", "localhost", "localhost:", "localhost:x",
                           "localhost:65536", "localhost:-1", "::1:80"}) {
    EXPECT_FALSE(ParseHostPort(text, &address).ok()) << text;
  }
}

TEST(ServerOptionsTest, EachBoundNamesItsFlag) {
  EXPECT_TRUE(CheckServerOptions({}).ok());
  const auto flag = [](auto change) {
    ServerOptions options;
    change(options);
    return FieldOf(CheckServerOptions(options)).value_or("accepted");
  };
  EXPECT_EQ(flag([](ServerOptions& o) { o.data_dir = ""; }), "--data-dir");
  EXPECT_EQ(flag([](ServerOptions& o) { o.listen = "x"; }), "--listen");
  EXPECT_EQ(flag([](ServerOptions& o) { o.http = "x"; }), "--http");
  EXPECT_EQ(flag([](ServerOptions& o) { o.http = ""; }), "accepted");
  EXPECT_EQ(flag([](ServerOptions& o) { o.workers = -1; }), "--workers");
  EXPECT_EQ(flag([](ServerOptions& o) { o.max_message_bytes = 1; }), "--max-message-bytes");
  EXPECT_EQ(flag([](ServerOptions& o) { o.max_batch_rows = 0; }), "--max-batch-rows");
  EXPECT_EQ(flag([](ServerOptions& o) { o.queue_bytes = 5; }), "--queue-bytes");
  EXPECT_EQ(flag([](ServerOptions& o) { o.queue_history = 0; }), "--queue-history");
  EXPECT_EQ(flag([](ServerOptions& o) { o.max_calls_per_peer = 0; }), "--max-calls-per-peer");
  EXPECT_EQ(flag([](ServerOptions& o) { o.stream_window = 0; }), "--stream-window");
  EXPECT_EQ(flag([](ServerOptions& o) { o.stream_window = 257; }), "--stream-window");
  EXPECT_EQ(flag([](ServerOptions& o) { o.snapshots_kept = 0; }), "--snapshots-kept");
  EXPECT_EQ(flag([](ServerOptions& o) { o.snapshot_rate = -1; }), "--snapshot-rate");
  EXPECT_EQ(flag([](ServerOptions& o) { o.retention = "some"; }), "--retention");
  EXPECT_EQ(flag([](ServerOptions& o) { o.audit_reads = true; }), "--audit-reads");
  EXPECT_EQ(flag([](ServerOptions& o) { o.audit_required = true; }), "--audit-required");
  EXPECT_EQ(flag([](ServerOptions& o) { o.drain = std::chrono::hours(2); }), "--drain-seconds");
}

CommandLine Parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "prequeld");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  return ParseCommandLine(static_cast<int>(argv.size()), argv.data());
}

TEST(CommandLineTest, FlagsSetOptions) {
  const CommandLine line =
      Parse({"--data-dir=/first", "--data-dir=/d", "--listen", "[::1]:5", "--http=", "--sync=false",
             "--max-batch-rows=7", "--drain-seconds=3"});
  ASSERT_FALSE(line.exit_code.has_value());
  EXPECT_EQ(line.options.data_dir, "/d");
  EXPECT_EQ(line.options.listen, "[::1]:5");
  EXPECT_EQ(line.options.http, "");
  EXPECT_FALSE(line.options.sync);
  EXPECT_EQ(line.options.max_batch_rows, 7);
  EXPECT_EQ(line.options.drain, std::chrono::seconds(3));
  EXPECT_EQ(line.options.stream_window, ServerOptions().stream_window);
}

// A container of 512 MiB starts, and takes smaller requests.
TEST(CommandLineTest, RequestsAreSmallerWhereMemoryIs) {
  const CommandLine line = Parse({"--memory=400000000"});
  EXPECT_FALSE(line.exit_code.has_value());
  EXPECT_EQ(line.options.max_message_bytes, 400'000'000 / 32);
  EXPECT_EQ(Parse({"--memory=4000000000"}).options.max_message_bytes,
            ServerOptions().max_message_bytes);
  EXPECT_EQ(Parse({"--memory=400000000", "--max-message-bytes=16777216"}).exit_code, 2);
}

TEST(CommandLineTest, UsageErrorsExitWith2) {
  EXPECT_EQ(Parse({"--nonsense"}).exit_code, 2);
  EXPECT_EQ(Parse({"--workers=many"}).exit_code, 2);
  EXPECT_EQ(Parse({"--workers=-3"}).exit_code, 2);
  EXPECT_EQ(Parse({"--sync=perhaps"}).exit_code, 2);
  EXPECT_EQ(Parse({"--config=/nonexistent"}).exit_code, 2);
  EXPECT_EQ(Parse({"--version"}).exit_code, 0);
}

}  // namespace
}  // namespace prequel::options_test
