#include "server/observe/http_server.h"

#include <httplib.h>
#include <sys/socket.h>

#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace prequel {
namespace {

constexpr int kThreads = 4;
constexpr std::size_t kMaxWaiting = 16;
constexpr std::size_t kMaxBody = 1024;  // nobody has anything to send
constexpr int kTimeoutSeconds = 2;

// Like httplib's own pool, but accepting waits while too many connections do.
class BoundedTaskQueue final : public httplib::TaskQueue {
 public:
  BoundedTaskQueue() {
    for (int i = 0; i < kThreads; ++i) threads_.emplace_back([this] { Loop(); });
  }

  void enqueue(std::function<void()> task) override {
    std::unique_lock<std::mutex> lock(mu_);
    changed_.wait(lock, [this] { return tasks_.size() < kMaxWaiting; });
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }

  void shutdown() override {
    {
      const std::lock_guard<std::mutex> lock(mu_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void Loop() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> lock(mu_);
        changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      changed_.notify_all();
      task();
    }
  }

  std::mutex mu_;
  std::condition_variable changed_;
  // Guarded by mu_.
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // constant after construction
};

// httplib's default is SO_REUSEPORT, which lets two servers share a port without either knowing.
void SetSocketOptions(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

void Answer(const HttpPages& pages, const httplib::Request& request, httplib::Response& response) {
  const bool known = request.path == "/metrics" || request.path == "/v2/health/live" ||
                     request.path == "/v2/health/ready";
  if (!known) {
    response.status = 404;
    response.set_content("not found\n", "text/plain");
  } else if (request.method != "GET" && request.method != "HEAD") {
    response.status = 405;
    response.set_header("Allow", "GET, HEAD");
    response.set_content("method not allowed\n", "text/plain");
  } else if (request.path == "/metrics") {
    response.status = 200;
    response.set_content(pages.metrics(), "text/plain; version=0.0.4; charset=utf-8");
  } else {
    const std::string obstacle = request.path == "/v2/health/ready" ? pages.obstacle() : "";
    response.status = obstacle.empty() ? 200 : 503;
    response.set_content(obstacle.empty() ? "ok\n" : obstacle + "\n", "text/plain");
  }
}

}  // namespace

struct HttpServer::Impl {
  httplib::Server server;
  std::thread thread;
};

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& host, int port,
                                                              HttpPages pages) {
  auto impl = std::make_unique<Impl>();
  httplib::Server& server = impl->server;
  server.new_task_queue = [] { return new BoundedTaskQueue; };
  server.set_socket_options(SetSocketOptions);
  server.set_read_timeout(kTimeoutSeconds);
  server.set_write_timeout(kTimeoutSeconds);
  server.set_keep_alive_timeout(kTimeoutSeconds);
  server.set_payload_max_length(kMaxBody);
  server.set_pre_routing_handler(
      [pages = std::move(pages)](const httplib::Request& request, httplib::Response& response) {
        Answer(pages, request, response);
        return httplib::Server::HandlerResponse::Handled;
      });
  errno = 0;
  const int bound =
      port == 0 ? server.bind_to_any_port(host) : (server.bind_to_port(host, port) ? port : -1);
  if (bound < 0) {
    return absl::UnavailableError("cannot listen on " + host + ":" + std::to_string(port) +
                                  " for HTTP: " + std::strerror(errno));
  }
  impl->thread = std::thread([&server] { server.listen_after_bind(); });
  // Stopping a server that has not begun to listen would be lost.
  while (!server.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl), bound));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl, int port)
    : impl_(std::move(impl)), port_(port) {}

HttpServer::~HttpServer() {
  impl_->server.stop();
  impl_->thread.join();
}

}  // namespace prequel
