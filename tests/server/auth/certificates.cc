#include "tests/server/auth/certificates.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <cstdint>
#include <cstdlib>

namespace prequel {
namespace {

void Must(bool ok) {
  if (!ok) std::abort();
}

std::shared_ptr<EVP_PKEY> NewKey() {
  return {EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"), &EVP_PKEY_free};
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<std::size_t>(length));
  BIO_free(bio);
  return text;
}

std::string PemOf(X509* certificate) {
  BIO* bio = BIO_new(BIO_s_mem());
  Must(PEM_write_bio_X509(bio, certificate) == 1);
  return TextOf(bio);
}

std::string PemOf(EVP_PKEY* key) {
  BIO* bio = BIO_new(BIO_s_mem());
  Must(PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return TextOf(bio);
}

void SetCommonName(X509_NAME* name, const std::string& text) {
  Must(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                  reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1,
                                  0) == 1);
}

void AddExtension(X509* certificate, int kind, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
  Must(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

std::shared_ptr<X509> NewCertificate(EVP_PKEY* key, std::chrono::seconds validity) {
  std::shared_ptr<X509> certificate(X509_new(), &X509_free);
  std::uint32_t serial = 0;
  Must(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof(serial)) == 1);
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), static_cast<long>(validity.count()));
  X509_set_pubkey(certificate.get(), key);
  return certificate;
}

}  // namespace

Authority::Authority()
    : key_(NewKey()), certificate_(NewCertificate(key_.get(), std::chrono::hours(24))) {
  SetCommonName(X509_get_subject_name(certificate_.get()), "test authority");
  X509_set_issuer_name(certificate_.get(), X509_get_subject_name(certificate_.get()));
  AddExtension(certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
  Must(X509_sign(certificate_.get(), key_.get(), EVP_sha256()) > 0);
}

std::string Authority::pem() const { return PemOf(certificate_.get()); }

Issued Authority::Issue(const std::string& common_name, const std::string& names,
                        std::chrono::seconds validity) const {
  const std::shared_ptr<EVP_PKEY> key = NewKey();
  const std::shared_ptr<X509> certificate = NewCertificate(key.get(), validity);
  SetCommonName(X509_get_subject_name(certificate.get()), common_name);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate_.get()));
  if (!names.empty()) AddExtension(certificate.get(), NID_subject_alt_name, names);
  Must(X509_sign(certificate.get(), key_.get(), EVP_sha256()) > 0);
  return {PemOf(certificate.get()), PemOf(key.get())};
}

}  // namespace prequel
