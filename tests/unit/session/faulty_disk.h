// FaultyDisk: while it lives, SQLite writes through it: a real disk whose n-th write, sync,
// truncation or opening fails, once or from then on until it is mended. For one test at a time.
#pragma once

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <sqlite3.h>

#include <atomic>
#include <cstring>

namespace agentd::session {

class FaultyDisk {
 public:
  enum class Lasts { once, until_mended };

  FaultyDisk() {
    void* library = ::dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);  // the store's own
    REQUIRE(library != nullptr);
    const auto find =
        reinterpret_cast<decltype(&::sqlite3_vfs_find)>(::dlsym(library, "sqlite3_vfs_find"));
    register_ = reinterpret_cast<decltype(&::sqlite3_vfs_register)>(
        ::dlsym(library, "sqlite3_vfs_register"));
    REQUIRE((find != nullptr));
    REQUIRE((register_ != nullptr));
    disk() = find(nullptr);
    vfs_ = *disk();
    vfs_.zName = "faulty";
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + disk()->szOsFile;
    vfs_.xOpen = open;
    current() = this;
    register_(&vfs_, 1);
  }
  ~FaultyDisk() {
    register_(disk(), 1);
    unregister();
    current() = nullptr;
  }
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  /// Operations are counted from here, the first one is 1.
  void fail_at(int number, int code, Lasts lasts) {
    code_ = code;
    lasts_ = lasts;
    struck_ = false;
    left_ = number;
  }
  void mend() { left_ = 0; }
  /// Something failed since fail_at().
  bool struck() const { return struck_; }

 private:
  struct File {
    sqlite3_file base;
    sqlite3_file* real;
  };

  static FaultyDisk*& current() {
    static FaultyDisk* disk = nullptr;
    return disk;
  }
  static sqlite3_vfs*& disk() {
    static sqlite3_vfs* real = nullptr;
    return real;
  }
  void unregister() {
    void* library = ::dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    const auto gone = reinterpret_cast<decltype(&::sqlite3_vfs_unregister)>(
        ::dlsym(library, "sqlite3_vfs_unregister"));
    if (gone != nullptr) gone(&vfs_);
  }

  // SQLITE_OK, or what this operation fails with.
  static int fault() { return current()->next(); }
  int next() {
    const int left = left_;
    if (left == 0) return SQLITE_OK;
    if (left > 1) {
      left_ = left - 1;
      return SQLITE_OK;
    }
    struck_ = true;
    if (lasts_ == Lasts::once) left_ = 0;
    return code_;
  }

  static sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real; }

  static int open(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
    auto* ours = reinterpret_cast<File*>(file);
    ours->base.pMethods = nullptr;
    if (fault() != SQLITE_OK) return SQLITE_CANTOPEN;
    ours->real = reinterpret_cast<sqlite3_file*>(ours + 1);
    std::memset(static_cast<void*>(ours->real), 0, static_cast<std::size_t>(disk()->szOsFile));
    const int opened = disk()->xOpen(disk(), name, ours->real, flags, out);
    if (ours->real->pMethods != nullptr) ours->base.pMethods = &methods();
    return opened;
  }

  static const sqlite3_io_methods& methods() {
    static const sqlite3_io_methods methods = [] {
      sqlite3_io_methods m{};
      m.iVersion = 2;
      m.xClose = [](sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); };
      m.xRead = [](sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
        return real(f)->pMethods->xRead(real(f), to, size, at);
      };
      m.xWrite = [](sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
        const int failed = fault();
        return failed != SQLITE_OK ? failed : real(f)->pMethods->xWrite(real(f), from, size, at);
      };
      m.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) {
        const int failed = fault();
        return failed != SQLITE_OK ? failed : real(f)->pMethods->xTruncate(real(f), size);
      };
      m.xSync = [](sqlite3_file* f, int flags) {
        const int failed = fault();
        return failed != SQLITE_OK ? failed : real(f)->pMethods->xSync(real(f), flags);
      };
      m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
        return real(f)->pMethods->xFileSize(real(f), size);
      };
      m.xLock = [](sqlite3_file* f, int level) { return real(f)->pMethods->xLock(real(f), level); };
      m.xUnlock = [](sqlite3_file* f, int level) {
        return real(f)->pMethods->xUnlock(real(f), level);
      };
      m.xCheckReservedLock = [](sqlite3_file* f, int* held) {
        return real(f)->pMethods->xCheckReservedLock(real(f), held);
      };
      m.xFileControl = [](sqlite3_file* f, int what, void* with) {
        return real(f)->pMethods->xFileControl(real(f), what, with);
      };
      m.xSectorSize = [](sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); };
      m.xDeviceCharacteristics = [](sqlite3_file* f) {
        return real(f)->pMethods->xDeviceCharacteristics(real(f));
      };
      m.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** to) {
        return real(f)->pMethods->xShmMap(real(f), page, size, extend, to);
      };
      m.xShmLock = [](sqlite3_file* f, int offset, int count, int flags) {
        return real(f)->pMethods->xShmLock(real(f), offset, count, flags);
      };
      m.xShmBarrier = [](sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); };
      m.xShmUnmap = [](sqlite3_file* f, int remove) {
        return real(f)->pMethods->xShmUnmap(real(f), remove);
      };
      return m;
    }();
    return methods;
  }

  sqlite3_vfs vfs_{};
  decltype(&::sqlite3_vfs_register) register_ = nullptr;
  std::atomic<int> left_{0};  // operations until the fault; 0: none comes
  std::atomic<int> code_{SQLITE_FULL};
  std::atomic<Lasts> lasts_{Lasts::once};
  std::atomic<bool> struck_{false};
};

}  // namespace agentd::session
