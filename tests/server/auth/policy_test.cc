#include "server/auth/policy.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/auth/policy_file.h"

namespace prequel::policy_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Hash(const std::string& token) {
  const TokenHash hash = HashToken(token);
  return "sha256:" +
         absl::BytesToHexString({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

std::string Problem(const std::string& text) {
  const absl::StatusOr<Policy> policy = Policy::Parse(text);
  return policy.ok() ? "" : std::string(policy.status().message());
}

TEST(TokenHash, IsWhatSha256sumPrints) {
  EXPECT_EQ(Hash("abc"), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_TRUE(SameHash(*ParseTokenHash(Hash("abc")), HashToken("abc")));
  EXPECT_FALSE(SameHash(HashToken("abd"), HashToken("abc")));
  EXPECT_FALSE(ParseTokenHash(Hash("abc") + "0"));
  EXPECT_FALSE(ParseTokenHash("sha256:" + std::string(64, 'g')));
  EXPECT_FALSE(ParseTokenHash(std::string(64, '0')));
}

TEST(Policy, ReadsWhatItSays) {
  const absl::StatusOr<Policy> policy = Policy::Parse(
      "# who may do what\r\n"
      "\n"
      "[ingest]  # the feed\n"
      "token = " +
      Hash("a") + "\n  token=" + Hash("b") +
      "\n"
      "certificate = uri:spiffe://prod/ingest#1\n"
      "role = learn\n"
      "models = sensor-*, demo\n"
      "expires = 2027-01-31T00:00:00Z\n"
      "calls_in_flight = 3\nbytes_in_flight = 4\nrows_per_second = 5\nmax_models = 6\nshare = 7\n"
      "[prometheus]\ncertificate = dns:prometheus.test\nrole = metrics");
  ASSERT_TRUE(policy.ok()) << policy.status();
  ASSERT_EQ(policy->principals().size(), 2U);
  const Principal& ingest = policy->principals()[0];
  EXPECT_EQ(ingest.name, "ingest");
  EXPECT_EQ(ingest.role, Role::kLearn);
  EXPECT_THAT(ingest.models, ElementsAre("sensor-*", "demo"));
  EXPECT_EQ(std::chrono::system_clock::to_time_t(*ingest.expires), 1801353600);
  EXPECT_EQ(ingest.quotas.calls_in_flight, 3);
  EXPECT_EQ(ingest.quotas.bytes_in_flight, 4);
  EXPECT_EQ(ingest.quotas.rows_per_second, 5);
  EXPECT_EQ(ingest.quotas.models, 6);
  EXPECT_EQ(ingest.share, 7);
  EXPECT_EQ(policy->principals()[1].share, kEvenShare);
  EXPECT_EQ(policy->Find({HashToken("a"), ""}), &ingest);
  EXPECT_EQ(policy->Find({HashToken("b"), ""}), &ingest);
  EXPECT_EQ(policy->Find({HashToken("c"), ""}), nullptr);
  EXPECT_EQ(policy->Find({{}, "uri:spiffe://prod/ingest#1"}), &ingest);
  EXPECT_EQ(policy->Find({{}, "uri:spiffe://prod/ingest"}), nullptr);
  EXPECT_EQ(policy->Find({{}, "dns:prometheus.test"}), &policy->principals()[1]);
}

std::string Good() { return "[a]\ntoken = " + Hash("a") + "\nrole = read\nmodels = *\n"; }

TEST(Policy, TheFirstLimitsThatFitCount) {
  const absl::StatusOr<Policy> policy =
      Policy::Parse("[models/sensor-1]\ncalls_in_flight = 3\nbytes_in_flight = 4\n" + Good() +
                    "[models/sensor-*]\nrows_per_second = 5\n"
                    "[ models/s* ]\nshare = 1000\n");
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_EQ(policy->principals().size(), 1U);
  ASSERT_EQ(policy->models().size(), 3U);
  const ModelLimits* one = policy->LimitsOf("sensor-1");
  ASSERT_EQ(one, &policy->models()[0]);
  EXPECT_EQ(one->quotas.calls_in_flight, 3);
  EXPECT_EQ(one->quotas.bytes_in_flight, 4);
  EXPECT_EQ(one->quotas.rows_per_second, 0);
  EXPECT_EQ(one->share, kEvenShare);
  const ModelLimits* other = policy->LimitsOf("sensor-12");
  ASSERT_EQ(other, &policy->models()[1]);
  EXPECT_EQ(other->quotas.rows_per_second, 5);
  EXPECT_EQ(other->quotas.calls_in_flight, 0);
  ASSERT_EQ(policy->LimitsOf("servo"), &policy->models()[2]);
  EXPECT_EQ(policy->LimitsOf("servo")->share, 1000);
  EXPECT_EQ(policy->LimitsOf("moons"), nullptr);
  EXPECT_EQ(policy->ShareOf("servo"), 1000);
  EXPECT_EQ(policy->ShareOf("sensor-1"), kEvenShare);
  EXPECT_EQ(policy->ShareOf("moons"), kEvenShare);
}

TEST(Policy, SaysWhatIsWrongWithTheLimitsOfModels) {
  const std::string good = Good() + "[models/a*]\nshare = 1\n";  // 6 lines
  EXPECT_EQ(Problem(good), "");
  EXPECT_THAT(Problem("[models/a]\nshare = 1\n"), HasSubstr("no principal"));
  for (const char* pattern : {"", "A", "a b", "a/b", "models/a"}) {
    EXPECT_THAT(Problem(absl::StrCat("[models/", pattern, "]\n")),
                HasSubstr("line 1: must be [models/PATTERN]"))
        << pattern;
  }
  EXPECT_THAT(Problem(good + "[models/b]\n"), HasSubstr("line 7: [models/b] needs a quota"));
  EXPECT_THAT(Problem(good + "[models/b]\n[b]\n"), HasSubstr("line 7: [models/b] needs a quota"));
  for (const char* pattern : {"a*", "a", "ab*", "a*b", "a**"}) {
    EXPECT_THAT(Problem(absl::StrCat(good, "[models/", pattern, "]\nshare = 1\n")),
                AllOf(HasSubstr("line 7: "), HasSubstr("[models/a*] stands before it")))
        << pattern;
  }
  EXPECT_EQ(Problem(good + "[models/*a]\nshare = 1\n"), "");
  EXPECT_THAT(Problem(good + "share = 1\n"), HasSubstr("line 7, share: is here a second time"));
  for (const char* field : {"max_models", "role", "token", "models"}) {
    EXPECT_THAT(Problem(absl::StrCat(good, field, " = 1\n")),
                AllOf(HasSubstr(absl::StrCat("line 7, ", field, ": is no field of [models/")),
                      HasSubstr("rows_per_second and share")));
  }
  for (const char* value : {"0", "1001", "-1", "x", "", "1.5"}) {
    EXPECT_THAT(Problem(absl::StrCat("[models/a]\nshare = ", value, "\n")),
                AllOf(HasSubstr("line 2, share"), HasSubstr("from 1 to 1000")));
    EXPECT_THAT(Problem(absl::StrCat("[a]\nshare = ", value, "\n")),
                AllOf(HasSubstr("line 2, share"), HasSubstr("from 1 to 1000")));
  }
  EXPECT_THAT(Problem("[models/a]\ncalls_in_flight = 0\n"),
              AllOf(HasSubstr("line 2, calls_in_flight"), HasSubstr("from 1 to 1125899906842624")));
}

TEST(Policy, HasNoMoreLimitsThanCanBeLookedThrough) {
  std::string text = Good();
  for (int i = 0; i <= 256; ++i) absl::StrAppend(&text, "[models/m", i, "]\nshare = 1\n");
  EXPECT_THAT(Problem(text), HasSubstr("line 517: more than 256 blocks"));
}

TEST(Policy, SaysLineAndFieldOfWhatIsWrong) {
  const std::string good = Good();
  EXPECT_EQ(Problem(good), "");
  EXPECT_THAT(Problem(""), HasSubstr("no principal"));
  EXPECT_THAT(Problem("role = read\n"), AllOf(HasSubstr("line 1, role"), HasSubstr("[name]")));
  EXPECT_THAT(Problem(good + "what\n"), AllOf(HasSubstr("line 5"), HasSubstr("field = value")));
  EXPECT_THAT(Problem(good + "rule = read\n"), AllOf(HasSubstr("line 5, rule"), HasSubstr("role")));
  EXPECT_THAT(Problem(good + "role = read\n"), HasSubstr("line 5, role: is here a second time"));
  EXPECT_THAT(Problem("[a]\nrole = king\n"), AllOf(HasSubstr("line 2, role"), HasSubstr("admin")));
  EXPECT_THAT(Problem(good + "[a]\n"), HasSubstr("line 5: [a] is here a second time"));
  EXPECT_THAT(Problem("[a b]\n"), HasSubstr("line 1: must be [name]"));
  EXPECT_THAT(Problem("[a\n"), HasSubstr("line 1: must be [name]"));
  EXPECT_THAT(Problem("[a]\nrole = read\nmodels = *\n"), HasSubstr("line 1: [a] needs a token or"));
  EXPECT_THAT(Problem("[a]\ntoken = " + Hash("a") + "\nmodels = *\n[b]"),
              HasSubstr("line 1: [a] needs a role"));
  EXPECT_THAT(Problem("[a]\ntoken = " + Hash("a") + "\nrole = read\n"),
              HasSubstr("line 1: [a] needs models"));
  EXPECT_THAT(Problem(good + "[b]\ntoken = " + Hash("a") + "\n"), HasSubstr("line 6, token"));
  EXPECT_THAT(Problem("[a]\nmodels = A\n"), HasSubstr("line 2, models"));
  EXPECT_THAT(Problem("[a]\nmodels = a,,b\n"), HasSubstr("line 2, models"));
  EXPECT_THAT(Problem("[a]\nmodels =\n"), HasSubstr("line 2, models"));
  EXPECT_THAT(Problem("[a]\nexpires = tomorrow\n"), HasSubstr("line 2, expires"));
  EXPECT_THAT(Problem("[a]\ncertificate = spiffe://x\n"), HasSubstr("line 2, certificate"));
  for (const std::string value : {"0", "-1", "x", "", "1e3", "99999999999999999999"}) {
    EXPECT_THAT(Problem("[a]\nrows_per_second = " + value + "\n"),
                HasSubstr("line 2, rows_per_second"))
        << value;
  }
}

// Somebody may have put it where the hash belongs.
TEST(Policy, NeverRepeatsAToken) {
  EXPECT_THAT(Problem("[a]\ntoken = prequel_secret\n"),
              AllOf(HasSubstr("line 2, token"), Not(HasSubstr("prequel_secret"))));
}

TEST(Policy, PatternsMatchWholeNames) {
  Principal principal;
  principal.models = {"a*b*c", "exact"};
  for (const char* model : {"abc", "a-b-c", "abbbc", "abcbc", "exact"}) {
    EXPECT_TRUE(principal.MayUse(model)) << model;
  }
  for (const char* model : {"", "ab", "abcd", "xabc", "exact1", "exac", "models/exact"}) {
    EXPECT_FALSE(principal.MayUse(model)) << model;
  }
  principal.models = {"*"};
  EXPECT_TRUE(principal.MayUse("anything"));
  // Not exponential.
  principal.models = {"*a*a*a*a*a*a*a*a*a*a*a*a*b"};
  EXPECT_FALSE(principal.MayUse(std::string(20'000, 'a')));
}

TEST(PolicyFile, GoesOnWithWhatWasWhenItBreaks) {
  std::string name = (std::filesystem::temp_directory_path() / "policy-XXXXXX").string();
  close(mkstemp(name.data()));
  const auto write = [&name](const std::string& text) { std::ofstream(name) << text; };
  const std::string good = "[a]\ntoken = " + Hash("a") + "\nrole = read\nmodels = *\n";
  write("[a]\n");
  EXPECT_THAT(std::string(PolicyFile::Open(name).status().message()),
              AllOf(HasSubstr("--policy"), HasSubstr(name), HasSubstr("line 1")));
  write(good);
  const absl::StatusOr<std::unique_ptr<PolicyFile>> file = PolicyFile::Open(name);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->Reload().value(), false);
  const std::shared_ptr<const Policy> before = (*file)->current();
  write(good + "what");
  EXPECT_FALSE((*file)->Reload().ok());
  EXPECT_FALSE((*file)->Reload().ok());
  EXPECT_EQ((*file)->current(), before);
  write(good + "calls_in_flight = 1\n");
  EXPECT_EQ((*file)->Reload().value(), true);
  // Who had calls in flight still has them.
  EXPECT_EQ((*file)->current()->principals()[0].meter, before->principals()[0].meter);
  std::filesystem::remove(name);
  EXPECT_FALSE((*file)->Reload().ok());
}

TEST(Policy, RepeatsNothingThatMayBeASecret) {
  for (const char* line : {"prequel-0123456789abcdefABCDEF = learn", "token\xc4\xc4 = x",
                           "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = x", "= x"}) {
    const std::string problem = Problem(absl::StrCat("[a]\n", line, "\n"));
    EXPECT_EQ(problem, "line 2: what is before the = is no field, nor looks like one");
  }
  EXPECT_THAT(Problem("[a]\nrolle = read\n"), HasSubstr("line 2, rolle: is no field"));
}

}  // namespace
}  // namespace prequel::policy_test
