#include "server/auth/credentials.h"

#include <grpc/grpc_security_constants.h>
#include <openssl/x509v3.h>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "server/auth/certificate_expiry.h"

namespace prequel {
namespace {

// kKinds are in the order in which a policy is asked for them. A common name is free text: it comes
// last.
struct NameKind {
  const char* prefix;
  const char* grpc_property;
  int san;  // OpenSSL's kind of a subject alternative name; -1: the common name
};
constexpr NameKind kKinds[] = {{"uri:", GRPC_PEER_URI_PROPERTY_NAME, GEN_URI},
                               {"dns:", GRPC_PEER_DNS_PROPERTY_NAME, GEN_DNS},
                               {"cn:", GRPC_X509_CN_PROPERTY_NAME, -1}};

std::string_view View(const grpc::string_ref& text) { return {text.data(), text.size()}; }

std::string_view TextOf(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

void AddName(const NameKind& kind, std::string_view name, std::vector<std::string>& names) {
  // A name that ends early for whoever reads it as a C string is no name.
  if (name.empty() || name.find('\0') != name.npos) return;
  names.push_back(std::string(kind.prefix).append(name));
}

void AddAlternativeNames(const X509& certificate, const NameKind& kind,
                         std::vector<std::string>& names) {
  const std::unique_ptr<GENERAL_NAMES, void (*)(GENERAL_NAMES*)> all(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)),
      &GENERAL_NAMES_free);
  if (all == nullptr) return;
  for (int i = 0; i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(all.get(), i);
    // Names of both kinds are the same kind of string.
    if (name->type == kind.san) AddName(kind, TextOf(name->d.ia5), names);
  }
}

void AddCommonName(const X509& certificate, const NameKind& kind, std::vector<std::string>& names) {
  const X509_NAME* subject = X509_get_subject_name(&certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return;
  const ASN1_STRING* text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
  unsigned char* utf8 = nullptr;
  const int length = ASN1_STRING_to_UTF8(&utf8, text);
  if (length < 0) return;
  AddName(kind, {reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(length)}, names);
  OPENSSL_free(utf8);
}

}  // namespace

Credentials CredentialsOf(const grpc::CallbackServerContext& context) {
  Credentials result;
  const auto& metadata = context.client_metadata();
  if (const auto found = metadata.find("authorization"); found != metadata.end()) {
    result.authorization = View(found->second);
    return result;
  }
  const std::shared_ptr<const grpc::AuthContext> peer = context.auth_context();
  // Only what was verified in the handshake makes it so.
  if (peer == nullptr || !peer->IsPeerAuthenticated()) return result;
  const std::vector<grpc::string_ref> pem =
      peer->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  const auto expires = pem.empty() ? std::nullopt : ExpiryOfPem(View(pem.front()));
  if (!expires) return result;  // who knows whether it still counts
  result.expires = *expires;
  for (const NameKind& kind : kKinds) {
    for (const grpc::string_ref& name : peer->FindPropertyValues(kind.grpc_property)) {
      AddName(kind, View(name), result.names);
    }
  }
  return result;
}

Credentials CredentialsOf(std::string authorization, const SSL* tls) {
  Credentials result;
  result.authorization = std::move(authorization);
  if (!result.authorization.empty() || tls == nullptr) return result;
  const std::unique_ptr<X509, void (*)(X509*)> certificate(SSL_get1_peer_certificate(tls),
                                                           &X509_free);
  if (certificate == nullptr || SSL_get_verify_result(tls) != X509_V_OK) return result;
  result.expires = ExpiryOf(*certificate);
  for (const NameKind& kind : kKinds) {
    if (kind.san < 0) {
      AddCommonName(*certificate, kind, result.names);
    } else {
      AddAlternativeNames(*certificate, kind, result.names);
    }
  }
  return result;
}

}  // namespace prequel
