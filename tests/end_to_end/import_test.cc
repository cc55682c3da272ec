// A network trained elsewhere, from a file through the programs to the predictions of a server.
#include <string>
#include <vector>

#include "tests/end_to_end/program_test.h"

namespace prequel::import_test {
namespace {

class ImportTest : public ProgramTest {
 protected:
  void Start() {
    StartProgram();
    EXPECT_EQ(Run({"health", "--wait=30"}).code, 0);
  }

  // `count` float32 that are all `value`.
  std::string WriteNpy(const std::string& name, std::size_t count, float value) {
    std::string header =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += {static_cast<char>(header.size()), '\0'};
    bytes += header;
    const std::vector<float> numbers(count, value);
    bytes.append(reinterpret_cast<const char*>(numbers.data()), 4 * count);
    return Write(name, bytes);
  }
};

std::vector<std::string> Create(const std::string& weights) {
  return {"create",
          "net",
          "--inputs=x",
          "--target=y",
          "--model=mlp",
          "--hidden=2",
          "--activation=relu",
          "--likelihood=gaussian",
          "--dynamics=static",  // one belief, so that its mean is the network's to the last digit
          "--standardize-inputs=none",
          "--standardize-targets=none",
          "--option=likelihood.noise=1",
          "--weights=" + weights};
}

// relu(2x + 1) · 10 + relu(−x) · 100 + 5 is 35 at x = 1 and 205 at x = −2.
constexpr char kLayers[] = R"([{"weights": [[2], [-1]], "bias": [1, 0]},
                               {"weights": [[10, 100]], "bias": [5]}])";

TEST_F(ImportTest, PredictsAsTheNetworkDidAndAfterARestartAndElsewhere) {
  Start();
  const Outcome created = Run(Create(Write("layers.json", kLayers)));
  ASSERT_EQ(created.code, 0) << created.err;
  const std::vector<std::string> predict = {"predict", "net",
                                            "--csv=" + Write("x.csv", "x\n1\n-2\n")};
  const Outcome first = Run(predict);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, ::testing::ContainsRegex("(^|\n)35[,\n]"));
  EXPECT_THAT(first.out, ::testing::ContainsRegex("(^|\n)205[,\n]"));
  EXPECT_EQ(Run({"export", "net", directory_.path("net.prequel")}).code, 0);
  StopProgram();

  Start();
  EXPECT_EQ(Run(predict).out, first.out);
  StopProgram();

  data_ = "elsewhere";
  Start();
  const Outcome imported = Run({"import", "net", directory_.path("net.prequel")});
  EXPECT_EQ(imported.code, 0) << imported.err;
  EXPECT_EQ(Run(predict).out, first.out);
  StopProgram();
}

TEST_F(ImportTest, WeightsOfAnotherNetworkAreRefusedByLayer) {
  Start();
  const Outcome refused = Run(Create(Write("layers.json", R"([{"weights": [[2]], "bias": [1]}])")));
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.err, ::testing::HasSubstr("config.prior.options.layer1.weights"));
  EXPECT_THAT(refused.err, ::testing::HasSubstr("must be 2 × 1 numbers, got 1 × 1 numbers"));
  StopProgram();
}

// D = 2·65536 + 65536·30 + 61, 8.4 MB of the 16 MiB that a request may have.
TEST_F(ImportTest, AMillionWeightsTravelPackedAndAreNotPrinted) {
  Start();
  std::vector<std::string> create = Create(WriteNpy("w.npy", 2'100'001, 0.5F));
  create[5] = "--hidden=65536,30";
  const std::string wrong = "must be a list of 2097213 numbers, got a list of 2100001 numbers";
  EXPECT_THAT(Run(create).err, ::testing::HasSubstr(wrong));
  create.back() = "--weights=" + WriteNpy("w.npy", 2'097'213, 0.5F);
  create.push_back("--posterior=diagonal");
  const Outcome created = Run(create);
  ASSERT_EQ(created.code, 0) << created.err;
  const Outcome described = Run({"describe", "net"});
  EXPECT_THAT(described.out, ::testing::HasSubstr("weights=[2097213 numbers]"));
  EXPECT_LT(described.out.size(), 2000u);
  EXPECT_LT(Run({"list", "--json"}).out.size(), 4000u);
  EXPECT_EQ(Run({"export", "net", directory_.path("net.prequel")}).code, 0);
  const Outcome again = Run({"import", "again", directory_.path("net.prequel")});
  EXPECT_EQ(again.code, 0) << again.err;

  create[1] = "larger";
  create[5] = "--hidden=65536,62";
  create[12] = "--weights=" + WriteNpy("w.npy", (std::size_t{17} << 20) / 4, 0.5F);
  EXPECT_THAT(Run(create).err, ::testing::HasSubstr("--max-message-bytes"));
  StopProgram();
}

}  // namespace
}  // namespace prequel::import_test
