# One static library per room. A room's sources are its *.cc files, found by glob, so that adding
# a file needs no edit here; the order below is the rank, low to high (tests/unit/layering_test.cc
# holds the same list and checks the #include lines).

# embed_text(ROOM): every ROOM/*.md becomes generated/ROOM/NAME.md.h holding one string_view,
# `agentd::embedded::NAME`: texts for the model live beside the code that sends them.
function(embed_text room target)
  file(GLOB texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.md
       ${PROJECT_SOURCE_DIR}/src/${room}/*.script)
  foreach(text IN LISTS texts)
    get_filename_component(name ${text} NAME)
    get_filename_component(symbol ${text} NAME_WE)
    set(header ${PROJECT_BINARY_DIR}/generated/${room}/${name}.h)
    add_custom_command(
      OUTPUT ${header}
      COMMAND ${CMAKE_COMMAND} -DINPUT=${text} -DOUTPUT=${header} -DSYMBOL=${symbol}
              -P ${PROJECT_SOURCE_DIR}/src/embed_text.cmake
      DEPENDS ${text} ${PROJECT_SOURCE_DIR}/src/embed_text.cmake
      VERBATIM)
    target_sources(${target} PRIVATE ${header})
    set_property(GLOBAL APPEND PROPERTY AGENTD_EMBEDDED_TEXTS ${header})
  endforeach()
endfunction()

function(use_precompiled target)
  if(AGENTD_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM agentd_precompiled)
  endif()
endfunction()

# Built for size: what does not decode, encode or move bytes.
set(rooms_built_small agent config context hooks permission protocol server session tools)
function(build_small target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Os>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False alarms on copies of an empty std::optional. The dev preset keeps the warning.
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
  endif()
  if(AGENTD_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM agentd_precompiled_small)
  endif()
endfunction()

function(add_room room)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cc)
  if(NOT sources)  # a room still being built
    set(sources ${PROJECT_BINARY_DIR}/generated/empty.cc)
    file(WRITE ${sources} "")
  endif()
  add_library(agentd_${room} STATIC ${sources})
  target_include_directories(agentd_${room} PUBLIC ${PROJECT_SOURCE_DIR}/src
                             PRIVATE ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(agentd_${room} PUBLIC ${ARGN})
  embed_text(${room} agentd_${room})
  if(room IN_LIST rooms_built_small)
    build_small(agentd_${room})
  elseif(NOT room STREQUAL "base")
    use_precompiled(agentd_${room})
  endif()
endfunction()

# What nearly every file includes and what costs most: json and the standard library, parsed once.
if(AGENTD_PRECOMPILE)
  file(WRITE ${PROJECT_BINARY_DIR}/generated/precompiled.cc "")
  set(AGENTD_PRECOMPILED_HEADERS
    <algorithm> <chrono> <condition_variable> <functional> <map> <memory> <mutex> <optional>
    <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>
    <nlohmann/json.hpp>)
  foreach(library agentd_precompiled agentd_precompiled_small)
    add_library(${library} STATIC ${PROJECT_BINARY_DIR}/generated/precompiled.cc)
    target_link_libraries(${library} PRIVATE nlohmann_json::nlohmann_json Threads::Threads)
    target_precompile_headers(${library} PRIVATE ${AGENTD_PRECOMPILED_HEADERS})
  endforeach()
  target_compile_options(agentd_precompiled_small PRIVATE $<$<CONFIG:Release>:-Os>)
endif()

add_room(base tl::expected Threads::Threads)
# Header-only, in the one file that includes it: Debian has no static libspdlog or libfmt, and the
# binary must not need their shared ones.
target_link_libraries(agentd_base PRIVATE spdlog::spdlog_header_only fmt::fmt-header-only)
target_compile_definitions(agentd_base PRIVATE AGENTD_VERSION="${PROJECT_VERSION}")

add_room(platform agentd_base)
target_include_directories(agentd_platform SYSTEM PRIVATE ${ASIO_INCLUDE_DIR})
target_compile_definitions(agentd_platform PRIVATE ASIO_STANDALONE ASIO_NO_DEPRECATED
                           ASIO_SEPARATE_COMPILATION)
# Only libcurl's headers: platform/curl_library.cc opens the library itself with the first request,
# as linking it (with some 30 libraries behind it) adds 7 ms to every start of the process.
target_include_directories(agentd_platform SYSTEM PRIVATE ${CURL_INCLUDE_DIRS})
target_link_libraries(agentd_platform PRIVATE ${CMAKE_DL_LIBS})

add_room(message agentd_base nlohmann_json::nlohmann_json)
add_room(wire agentd_base nlohmann_json::nlohmann_json)
add_room(config agentd_wire agentd_platform)
add_room(rpc agentd_wire agentd_platform)
add_room(protocol agentd_wire)
add_room(model agentd_wire agentd_message agentd_platform agentd_config)
add_room(context agentd_message agentd_platform)
add_room(permission agentd_message agentd_platform)
add_room(hooks agentd_wire agentd_platform agentd_config)
add_room(tools agentd_wire agentd_message agentd_platform)
add_room(agent agentd_model agentd_context agentd_permission agentd_hooks agentd_tools)
add_room(session agentd_agent agentd_wire)
# SQLite's header only: session/sqlite_library.cc opens the library when the first session is kept.
find_path(SQLITE_INCLUDE_DIR sqlite3.h REQUIRED)
target_include_directories(agentd_session SYSTEM PUBLIC ${SQLITE_INCLUDE_DIR})
target_link_libraries(agentd_session PRIVATE ${CMAKE_DL_LIBS})
add_room(server agentd_session agentd_agent agentd_rpc agentd_protocol agentd_config)

if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/main.cc)
  file(WRITE ${PROJECT_BINARY_DIR}/generated/main.cc "int main() {}\n")
  add_executable(agentd ${PROJECT_BINARY_DIR}/generated/main.cc)
else()
  add_executable(agentd src/main.cc)
endif()
target_link_libraries(agentd PRIVATE agentd_server CLI11::CLI11)
build_small(agentd)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT AGENTD_SANITIZE)
  # Runs on other distributions of the same age: of what is not part of every system only libcurl
  # is needed. Unreferenced code is dropped, the installed file stripped.
  target_link_options(agentd PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections
                      -Wl,--as-needed)
  # 140 KB of relocations less; needs glibc 2.36, as the rest does.
  include(CheckLinkerFlag)
  check_linker_flag(CXX -Wl,-z,pack-relative-relocs AGENTD_PACKS_RELOCATIONS)
  if(AGENTD_PACKS_RELOCATIONS)
    target_link_options(agentd PRIVATE -Wl,-z,pack-relative-relocs)
  endif()
endif()
install(CODE "set(CMAKE_INSTALL_DO_STRIP TRUE)")
install(TARGETS agentd RUNTIME DESTINATION bin)

add_subdirectory(${PROJECT_SOURCE_DIR}/protocol ${PROJECT_BINARY_DIR}/protocol)

# The generated headers alone, for tools that read the sources without building (clang-tidy).
get_property(embedded_texts GLOBAL PROPERTY AGENTD_EMBEDDED_TEXTS)
add_custom_target(embedded_texts DEPENDS ${embedded_texts})

# The main job on the embedded model, shown: what `cmake --workflow --preset demo` ends with.
add_custom_target(demo COMMAND ${PROJECT_SOURCE_DIR}/tests/demo.sh $<TARGET_FILE:agentd>
                  DEPENDS agentd USES_TERMINAL VERBATIM)
