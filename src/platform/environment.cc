#include "platform/environment.h"

#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>

namespace agentd::platform {
namespace {

// An allow list, because secrets travel in variables whose names nobody can list: a child of the
// model's choosing sees only what programs need to find themselves, their libraries and the
// network. Names that act on every shell or program (BASH_ENV, ENV, LD_PRELOAD) stay out, so that
// a command runs the same here and there; MAKEFLAGS and git's GIT_DIR would tie children to the
// program that started agentd.
constexpr std::array kPassed = std::to_array<std::string_view>({
    // who and where
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    "HOSTNAME",
    "MANPATH",
    "INFOPATH",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "CI",
    // the network
    "http_proxy",
    "https_proxy",
    "ftp_proxy",
    "all_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "FTP_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "SSH_AUTH_SOCK",
    "KRB5CCNAME",
    // git, without what would redirect it to another repository
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_SSH_COMMAND",
    "GIT_SSL_CAINFO",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    // C and C++
    "CC",
    "CXX",
    "CPP",
    "LD",
    "AR",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "LD_LIBRARY_PATH",
    "ASAN_OPTIONS",
    "UBSAN_OPTIONS",
    "LSAN_OPTIONS",
    "TSAN_OPTIONS",
    "VCPKG_ROOT",
    // Java and Android
    "JAVA_HOME",
    "JDK_HOME",
    "JAVA_OPTS",
    "MAVEN_HOME",
    "M2_HOME",
    "MAVEN_OPTS",
    "GRADLE_HOME",
    "GRADLE_USER_HOME",
    "GRADLE_OPTS",
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "SDKMAN_DIR",
    // Go and Rust
    "GOPATH",
    "GOROOT",
    "GOBIN",
    "GOCACHE",
    "GOMODCACHE",
    "GOFLAGS",
    "GOOS",
    "GOARCH",
    "GOPROXY",
    "GOPRIVATE",
    "GONOSUMDB",
    "GOTOOLCHAIN",
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUSTFLAGS",
    "RUST_BACKTRACE",
    // Python
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "CONDA_PREFIX",
    "CONDA_DEFAULT_ENV",
    "CONDA_EXE",
    "PIPX_HOME",
    "POETRY_HOME",
    "UV_CACHE_DIR",
    // JavaScript
    "NODE_PATH",
    "NODE_ENV",
    "NODE_OPTIONS",
    "NVM_DIR",
    "NVM_BIN",
    "VOLTA_HOME",
    "FNM_DIR",
    "PNPM_HOME",
    "BUN_INSTALL",
    "DENO_DIR",
    "COREPACK_HOME",
    // others
    "GEM_HOME",
    "GEM_PATH",
    "RUBYLIB",
    "BUNDLE_PATH",
    "BUNDLE_GEMFILE",
    "RBENV_ROOT",
    "PERL5LIB",
    "LUA_PATH",
    "LUA_CPATH",
    "DOTNET_ROOT",
    "OPAMROOT",
    "OPAM_SWITCH_PREFIX",
    "NIX_PATH",
    "NIX_PROFILES",
    "NIX_SSL_CERT_FILE",
    "IN_NIX_SHELL",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "HOMEBREW_PREFIX",
    "FLUTTER_ROOT",
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "KUBECONFIG",
    "AWS_PROFILE",
    "AWS_REGION",
});

constexpr std::array kPassedPrefixes =
    std::to_array<std::string_view>({"LC_", "XDG_", "CMAKE_", "PKG_CONFIG_", "CCACHE_", "CGO_"});

// A second fence behind the prefixes: no name that looks like a secret's passes.
constexpr std::array kSecretWords = std::to_array<std::string_view>(
    {"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "ANTHROPIC", "OPENAI"});

// So that nothing waits for a person: editors end at once (a rebase's todo list with an error, as
// accepting it unseen would run the rebase), pagers print, installers do not ask.
constexpr std::array kFixed = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"TERM", "dumb"},
    {"PAGER", "cat"},
    {"GIT_PAGER", "cat"},
    {"EDITOR", "true"},
    {"VISUAL", "true"},
    {"GIT_EDITOR", "true"},
    {"GIT_SEQUENCE_EDITOR", "false"},
    {"GIT_TERMINAL_PROMPT", "0"},
    {"DEBIAN_FRONTEND", "noninteractive"},
});

bool looks_secret(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return std::any_of(kSecretWords.begin(), kSecretWords.end(),
                     [&](std::string_view word) { return upper.find(word) != std::string::npos; });
}

}  // namespace

bool passes_to_children(std::string_view name) {
  if (looks_secret(name)) return false;
  if (std::find(kPassed.begin(), kPassed.end(), name) != kPassed.end()) return true;
  return std::any_of(kPassedPrefixes.begin(), kPassedPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::map<std::string, std::string> take_secrets(const std::set<std::string>& named) {
  std::map<std::string, std::string> taken;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    char* value = std::strchr(*at, '=');
    if (value == nullptr) continue;
    std::string name(*at, value);
    if (!looks_secret(name) && !named.contains(name)) continue;
    ++value;
    taken.emplace(std::move(name), value);
    ::explicit_bzero(value, std::strlen(value));
  }
  for (const auto& [name, value] : taken) ::unsetenv(name.c_str());
  return taken;
}

EnvironmentEntries base_child_environment() {
  EnvironmentEntries entries;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view line = *at;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || !passes_to_children(line.substr(0, equals))) continue;
    entries.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  for (const auto& [name, value] : kFixed) entries.emplace_back(name, value);
  return entries;
}

std::vector<std::string> child_environment(const EnvironmentEntries& base,
                                           const EnvironmentEntries& added) {
  std::map<std::string_view, std::string_view> merged;
  for (const auto& [name, value] : base) merged[name] = value;
  for (const auto& [name, value] : added) merged[name] = value;
  std::vector<std::string> lines;
  lines.reserve(merged.size());
  for (const auto& [name, value] : merged) {
    std::string line(name);
    line += '=';
    line += value;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace agentd::platform
