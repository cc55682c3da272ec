#include "tests/accept/chaos/floods.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tests/accept/guard/attacks/attack.h"

namespace prequel::accept {
namespace {

constexpr std::chrono::seconds kAttack(8);
constexpr std::chrono::milliseconds kPause(100);

}  // namespace

Floods::Floods(const Entrance& entrance, const client::ClientOptions& admin,
               std::function<bool(const std::string& id)> kept,
               std::function<void(const std::string& attack)> ended)
    : admin_(admin),
      kept_(std::move(kept)),
      ended_(std::move(ended)),
      thread_([this, entrance] { Run(entrance); }) {}

Floods::~Floods() {
  stop_ = true;
  turnstile_.End();
  thread_.join();
}

void Floods::Run(const Entrance& entrance) {
  for (std::size_t next = 0; turnstile_.Pass(); ++next) {
    const NamedAttack& named = Attacks()[next % Attacks().size()];
    ended_("");
    {
      const std::unique_ptr<Attack> attack = named.make(entrance);
      ++attacks_;
      (void)turnstile_.StaysOpen(kAttack);
    }
    while (!stop_ && !Clean()) std::this_thread::sleep_for(kPause);
    ended_(named.name);
  }
}

bool Floods::Clean() {
  const auto models = admin_.ListAllModels();
  if (!models.ok()) return false;
  return std::all_of(models->begin(), models->end(), [this](const v1::Model& model) {
    const std::string id = model.name().substr(model.name().rfind('/') + 1);
    return kept_(id) || admin_.DeleteModel(id).ok();
  });
}

}  // namespace prequel::accept
