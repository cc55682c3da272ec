#include "server/auth/tls_files.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/server/auth/certificates.h"

namespace prequel::tls_files_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TlsFilesTest : public ::testing::Test {
 protected:
  TlsFilesTest() {
    std::string name = (std::filesystem::temp_directory_path() / "tls-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    Write(authority_.IssueForLoopback());
    Write("ca", authority_.pem());
  }
  ~TlsFilesTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }
  void Write(const Issued& issued) const {
    Write("cert", issued.certificate);
    Write("key", issued.key);
  }
  TlsPaths Paths() const { return {folder_ / "cert", folder_ / "key", folder_ / "ca"}; }

  std::string Problem() const {
    const absl::StatusOr<TlsMaterial> material = ReadTlsMaterial(Paths());
    return material.ok() ? "" : std::string(material.status().message());
  }

  const Authority authority_;
  std::filesystem::path folder_;
};

TEST_F(TlsFilesTest, ReadsWhatBelongsTogether) {
  Write(authority_.Issue("server", "", std::chrono::hours(5)));
  const absl::StatusOr<TlsMaterial> material = ReadTlsMaterial(Paths());
  ASSERT_TRUE(material.ok()) << material.status();
  EXPECT_EQ(material->client_ca, authority_.pem());
  const auto left = material->expires - std::chrono::system_clock::now();
  EXPECT_GT(left, std::chrono::minutes(299));
  EXPECT_LT(left, std::chrono::minutes(301));
}

TEST_F(TlsFilesTest, SaysWhichFileIsWrong) {
  const Issued other = authority_.IssueForLoopback();
  Write("key", other.key);
  EXPECT_THAT(Problem(), AllOf(HasSubstr("--tls-key"), HasSubstr("must hold the key of")));
  Write("key", "no key");
  EXPECT_THAT(Problem(), AllOf(HasSubstr("--tls-key"), HasSubstr("not encrypted")));
  Write("cert", "");
  EXPECT_THAT(Problem(), AllOf(HasSubstr("--tls-cert"), HasSubstr("PEM certificates")));
  Write("cert", other.certificate + "-----BEGIN CERTIFICATE-----\ncut off\n");
  EXPECT_THAT(Problem(), AllOf(HasSubstr("--tls-cert"), HasSubstr("PEM certificates")));
  Write("cert", std::string(2 << 20, 'x'));
  EXPECT_THAT(Problem(), AllOf(HasSubstr("--tls-cert"), HasSubstr("more than")));
  std::filesystem::remove(folder_ / "cert");
  EXPECT_THAT(Problem(), AllOf(HasSubstr("--tls-cert"), HasSubstr("No such file")));
  Write(other);
  EXPECT_EQ(Problem(), "");
  Write("ca", other.key);
  EXPECT_THAT(Problem(), AllOf(HasSubstr("--tls-client-ca"), HasSubstr("signs")));
}

TEST_F(TlsFilesTest, AReloadTakesAllOrNothing) {
  const absl::StatusOr<std::unique_ptr<TlsFiles>> files = TlsFiles::Open(Paths());
  ASSERT_TRUE(files.ok()) << files.status();
  const std::shared_ptr<const TlsMaterial> before = (*files)->current();
  EXPECT_EQ((*files)->Reload().value(), false);
  const Issued next = authority_.IssueForLoopback();
  Write("cert", next.certificate);
  EXPECT_FALSE((*files)->Reload().ok());
  EXPECT_EQ((*files)->current(), before);
  Write("key", next.key);
  EXPECT_EQ((*files)->Reload().value(), true);
  EXPECT_EQ((*files)->current()->key, next.key);
}

}  // namespace
}  // namespace prequel::tls_files_test
