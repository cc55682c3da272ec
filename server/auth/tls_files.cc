#include "server/auth/tls_files.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/auth/bounded_file.h"
#include "server/auth/certificate_expiry.h"

namespace prequel {
namespace {

// How late gRPC sees new files in memory.
constexpr unsigned kGrpcRefreshSeconds = 1;

template <class T, void (*Free)(T*)>
struct Freed {
  void operator()(T* value) const { Free(value); }
};
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
struct BioFree {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, BioFree>;

Bio Reading(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Without it OpenSSL would ask whoever sits at the terminal.
int NoPassphrase(char*, int, int, void*) { return 0; }

absl::Status Wrong(const char* flag, const std::string& path, const std::string& what) {
  ERR_clear_error();
  return absl::InvalidArgumentError(absl::StrCat(flag, ": ", path, " ", what));
}

absl::StatusOr<std::string> ReadFor(const char* flag, const std::string& path) {
  absl::StatusOr<std::string> content = ReadBoundedFile(path);
  if (content.ok()) return content;
  return absl::Status(content.status().code(),
                      absl::StrCat(flag, ": ", std::string(content.status().message())));
}

// All of `pem`; empty when one of them cannot be read, or there is none.
std::vector<Certificate> ParseCertificates(const std::string& pem) {
  std::vector<Certificate> certificates;
  const Bio bio = Reading(pem);
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr)) {
    certificates.emplace_back(next);
  }
  // PEM_read_bio_X509 stops at the end, or at what is no certificate.
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) certificates.clear();
  ERR_clear_error();
  return certificates;
}

absl::Status CheckIdentity(const TlsPaths& paths, TlsMaterial& material) {
  const std::vector<Certificate> chain = ParseCertificates(material.certificate);
  if (chain.empty()) {
    return Wrong("--tls-cert", paths.certificate,
                 "must hold PEM certificates: the server's, then those between it and its root");
  }
  const Bio bio = Reading(material.key);
  const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr));
  if (key == nullptr) {
    return Wrong("--tls-key", paths.key, "must hold a PEM private key that is not encrypted");
  }
  if (X509_check_private_key(chain.front().get(), key.get()) != 1) {
    return Wrong("--tls-key", paths.key,
                 absl::StrCat("must hold the key of the first certificate in ", paths.certificate));
  }
  material.expires = ExpiryOf(*chain.front());
  return absl::OkStatus();
}

bool Same(const TlsMaterial& a, const TlsMaterial& b) {
  return a.certificate == b.certificate && a.key == b.key && a.client_ca == b.client_ca;
}

}  // namespace

absl::StatusOr<TlsMaterial> ReadTlsMaterial(const TlsPaths& paths) {
  absl::StatusOr<std::string> certificate = ReadFor("--tls-cert", paths.certificate);
  if (!certificate.ok()) return certificate.status();
  absl::StatusOr<std::string> key = ReadFor("--tls-key", paths.key);
  if (!key.ok()) return key.status();
  TlsMaterial material{*std::move(certificate), *std::move(key), "", {}};
  if (absl::Status status = CheckIdentity(paths, material); !status.ok()) return status;
  if (paths.client_ca.empty()) return material;
  absl::StatusOr<std::string> client_ca = ReadFor("--tls-client-ca", paths.client_ca);
  if (!client_ca.ok()) return client_ca.status();
  if (ParseCertificates(*client_ca).empty()) {
    return Wrong("--tls-client-ca", paths.client_ca,
                 "must hold the PEM certificates of who signs those of clients");
  }
  material.client_ca = *std::move(client_ca);
  return material;
}

absl::StatusOr<std::unique_ptr<TlsFiles>> TlsFiles::Open(const TlsPaths& paths) {
  std::unique_ptr<TlsFiles> files(new TlsFiles(paths));
  const absl::StatusOr<bool> read = files->Reload();
  if (!read.ok()) return read.status();
  return files;
}

absl::StatusOr<bool> TlsFiles::Reload() {
  absl::StatusOr<TlsMaterial> material = ReadTlsMaterial(paths_);
  if (!material.ok()) return material.status();
  MutexLock lock(mu_);
  if (current_ != nullptr && Same(*current_, *material)) return false;
  absl::Status status = identity_.Replace(absl::StrCat(material->key, "\n", material->certificate));
  if (status.ok() && !paths_.client_ca.empty()) status = client_ca_.Replace(material->client_ca);
  if (!status.ok()) return status;
  current_ = std::make_shared<const TlsMaterial>(*std::move(material));
  return true;
}

std::shared_ptr<const TlsMaterial> TlsFiles::current() const {
  MutexLock lock(mu_);
  return current_;
}

std::shared_ptr<grpc::ServerCredentials> TlsFiles::Credentials() const {
  MutexLock lock(mu_);
  const bool ask = !paths_.client_ca.empty();
  const auto provider = std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
      identity_.path(), identity_.path(), ask ? client_ca_.path() : "", kGrpcRefreshSeconds);
  grpc::experimental::TlsServerCredentialsOptions options(provider);
  options.watch_identity_key_cert_pairs();
  if (ask) {
    options.watch_root_certs();
    options.set_cert_request_type(GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return grpc::experimental::TlsServerCredentials(options);
}

}  // namespace prequel
