// A file system that knows what a power loss would leave of it: of each file the bytes that were
// synced, and of each directory the entries that were there when it was.
#pragma once

#include <rocksdb/env.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace prequel {

class PowerLossEnv final : public rocksdb::EnvWrapper {
 public:
  PowerLossEnv() : EnvWrapper(rocksdb::Env::Default()) {}

  // `from` as it would be found, into the empty folder `to`.
  void CopyWhatSurvives(const std::filesystem::path& from, const std::filesystem::path& to) {
    const std::lock_guard lock(mu_);
    for (const auto& [path, file] : files_) {
      const std::filesystem::path place(path);
      if (place.parent_path() != from) continue;
      const std::optional<Content>& found = file.named ? file.content : file.before;
      if (!found.has_value()) continue;
      const std::filesystem::path copy = to / place.filename();
      std::filesystem::copy_file(found->path, copy);
      std::filesystem::resize_file(copy, std::min(found->synced, std::filesystem::file_size(copy)));
    }
  }

  // Bytes and names that would be lost now.
  std::size_t unsynced() const {
    const std::lock_guard lock(mu_);
    std::size_t count = 0;
    for (const auto& [path, file] : files_) {
      count += file.content.has_value() && (!file.named || file.content->synced < file.written);
    }
    return count;
  }

  rocksdb::Status NewWritableFile(const std::string& name,
                                  std::unique_ptr<rocksdb::WritableFile>* file,
                                  const rocksdb::EnvOptions& options) override {
    rocksdb::Status status = target()->NewWritableFile(name, file, options);
    if (!status.ok()) return status;
    const std::lock_guard lock(mu_);
    files_[name] = {.content = Content{name, 0}};
    *file = std::make_unique<File>(std::move(*file), this, name);
    return status;
  }

  // Both names have the same bytes from here on, of which as many are synced.
  rocksdb::Status LinkFile(const std::string& from, const std::string& to) override {
    rocksdb::Status status = target()->LinkFile(from, to);
    const std::lock_guard lock(mu_);
    if (!status.ok()) return status;
    Entry entry = files_[from];
    entry.content->path = to;
    entry.named = false;
    files_[to] = entry;
    return status;
  }

  rocksdb::Status ReopenWritableFile(const std::string& name,
                                     std::unique_ptr<rocksdb::WritableFile>* file,
                                     const rocksdb::EnvOptions& options) override {
    rocksdb::Status status = target()->ReopenWritableFile(name, file, options);
    if (!status.ok()) return status;
    const std::uintmax_t size = std::filesystem::file_size(name);
    *file = std::make_unique<File>(std::move(*file), this, name, size);
    return status;
  }

  // Until the directory is synced the old file may still be there under the new name; it is kept
  // beside, as what it was.
  rocksdb::Status RenameFile(const std::string& from, const std::string& to) override {
    const std::lock_guard lock(mu_);
    if (!files_.contains(from)) return target()->RenameFile(from, to);  // RocksDB's own log
    std::optional<Content> before;
    if (const auto old = files_.find(to); old != files_.end() && old->second.named) {
      const std::string kept = to + ".before." + std::to_string(++renames_);
      std::filesystem::copy_file(to, kept);
      before = Content{kept, old->second.content->synced};
    }
    rocksdb::Status status = target()->RenameFile(from, to);
    if (!status.ok()) return status;
    Entry entry = files_[from];
    files_.erase(from);
    entry.content->path = to;
    entry.named = false;
    entry.before = std::move(before);
    files_[to] = entry;
    return status;
  }

  rocksdb::Status DeleteFile(const std::string& name) override {
    const std::lock_guard lock(mu_);
    files_.erase(name);
    return target()->DeleteFile(name);
  }

  rocksdb::Status NewDirectory(const std::string& name,
                               std::unique_ptr<rocksdb::Directory>* directory) override {
    rocksdb::Status status = target()->NewDirectory(name, directory);
    if (status.ok()) *directory = std::make_unique<Folder>(std::move(*directory), this, name);
    return status;
  }

 private:
  struct Content {
    std::string path;           // where its bytes are
    std::uintmax_t synced = 0;  // of them
  };
  struct Entry {
    std::optional<Content> content;
    std::uintmax_t written = 0;
    bool named = false;             // the directory has been synced since it got this name
    std::optional<Content> before;  // what had the name
  };

  class File final : public rocksdb::WritableFileWrapper {
   public:
    File(std::unique_ptr<rocksdb::WritableFile> file, PowerLossEnv* env, std::string name,
         std::uintmax_t size = 0)
        : WritableFileWrapper(file.get()),
          file_(std::move(file)),
          env_(env),
          name_(std::move(name)),
          size_(size) {}

    rocksdb::Status Append(const rocksdb::Slice& data) override {
      rocksdb::Status status = WritableFileWrapper::Append(data);
      size_ += data.size();
      env_->Note(name_, [&](Entry& entry) { entry.written = size_; });
      return status;
    }
    rocksdb::Status Append(const rocksdb::Slice& data,
                           const rocksdb::DataVerificationInfo&) override {
      return Append(data);
    }
    rocksdb::Status Sync() override { return Synced(WritableFileWrapper::Sync()); }
    rocksdb::Status Fsync() override { return Synced(WritableFileWrapper::Fsync()); }

   private:
    rocksdb::Status Synced(const rocksdb::Status& status) {
      if (status.ok()) env_->Note(name_, [&](Entry& entry) { entry.content->synced = size_; });
      return status;
    }

    const std::unique_ptr<rocksdb::WritableFile> file_;
    PowerLossEnv* const env_;
    const std::string name_;
    std::uintmax_t size_;
  };

  class Folder final : public rocksdb::DirectoryWrapper {
   public:
    Folder(std::unique_ptr<rocksdb::Directory> directory, PowerLossEnv* env, std::string name)
        : DirectoryWrapper(directory.get()),
          directory_(std::move(directory)),
          env_(env),
          name_(std::move(name)) {}

    rocksdb::Status Fsync() override {
      rocksdb::Status status = DirectoryWrapper::Fsync();
      if (status.ok()) env_->NoteNames(name_);
      return status;
    }

   private:
    const std::unique_ptr<rocksdb::Directory> directory_;
    PowerLossEnv* const env_;
    const std::string name_;
  };

  template <class Change>
  void Note(const std::string& name, const Change& change) {
    const std::lock_guard lock(mu_);
    const auto it = files_.find(name);
    if (it != files_.end()) change(it->second);
  }

  void NoteNames(const std::filesystem::path& folder) {
    const std::lock_guard lock(mu_);
    for (auto& [path, entry] : files_) {
      if (std::filesystem::path(path).parent_path() != folder) continue;
      entry.named = true;
      entry.before.reset();
    }
  }

  mutable std::mutex mu_;
  std::map<std::string, Entry> files_;  // by path
  int renames_ = 0;
};

}  // namespace prequel
