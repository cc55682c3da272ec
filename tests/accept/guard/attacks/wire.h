// A connection by hand, for what no client library would do.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace prequel::accept {

// Blocking, though never for longer than kLongest; what takes longer has broken. For one thread.
class Wire {
 public:
  static constexpr int kLongestSeconds = 10;

  struct Options {
    std::string address;             // 127.0.0.1:PORT
    std::string ca = {};             // as Entrance has it; empty: plain text
    std::string protocol = {};       // to be agreed on by ALPN: "h2"; empty: none
    const char* from = "127.0.0.1";  // the address of this end
    bool handshake = true;           // false: TLS is not begun, whatever `ca` says
  };
  explicit Wire(const Options& options);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  bool broken() const { return broken_; }
  // Of the other end, as PEM; empty: there is none.
  std::string Certificate() const;
  void Send(std::string_view bytes);
  // What has come, once something has or `wait_ms` have passed.
  std::string Receive(int wait_ms);

 private:
  struct Tls;
  void Handshake(const Options& options);

  int fd_ = -1;
  bool broken_ = false;
  std::unique_ptr<Tls> tls_;  // null: plain text
};

// The answer to GET `path`, head and body, on a connection of its own; empty: none.
std::string HttpGet(const Wire::Options& server, const std::string& path);

}  // namespace prequel::accept
