#include "platform/curl_library.h"

#include <dlfcn.h>

#include <string>

namespace agentd::platform {
namespace {

// The flavours differ in their TLS library only; the first is what distributions call libcurl.
constexpr const char* kNames[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

Error unusable(const std::string& why) {
  return make_error(Code::unavailable,
                    "requests to a model need libcurl 7.87 or newer, which cannot be used: " + why +
                        " (Debian: apt install libcurl4)",
                    "libcurl.so.4");
}

std::string last_error() {
  const char* error = ::dlerror();
  return error != nullptr ? error : "unknown reason";
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<CurlLibrary> open_library() {
  void* library = nullptr;
  std::string why;
  for (const char* name : kNames) {
    library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    if (why.empty()) why = last_error();
  }
  if (library == nullptr) return unusable(why);

  CurlLibrary curl;
  const bool complete = find(library, "curl_global_init", curl.global_init) &&
                        find(library, "curl_easy_init", curl.easy_init) &&
                        find(library, "curl_easy_cleanup", curl.easy_cleanup) &&
                        find(library, "curl_easy_setopt", curl.easy_setopt) &&
                        find(library, "curl_easy_getinfo", curl.easy_getinfo) &&
                        find(library, "curl_easy_pause", curl.easy_pause) &&
                        find(library, "curl_easy_strerror", curl.easy_strerror) &&
                        find(library, "curl_slist_append", curl.slist_append) &&
                        find(library, "curl_slist_free_all", curl.slist_free_all) &&
                        find(library, "curl_multi_init", curl.multi_init) &&
                        find(library, "curl_multi_cleanup", curl.multi_cleanup) &&
                        find(library, "curl_multi_add_handle", curl.multi_add_handle) &&
                        find(library, "curl_multi_remove_handle", curl.multi_remove_handle) &&
                        find(library, "curl_multi_perform", curl.multi_perform) &&
                        find(library, "curl_multi_poll", curl.multi_poll) &&
                        find(library, "curl_multi_wakeup", curl.multi_wakeup) &&
                        find(library, "curl_multi_info_read", curl.multi_info_read);
  if (!complete) return unusable(last_error());
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return unusable("it does not initialise");
  return curl;
}

}  // namespace

Result<const CurlLibrary*> curl_library() {
  static const Result<CurlLibrary> library = open_library();
  if (!library) return library.error();
  return &*library;
}

}  // namespace agentd::platform
