// JSON Schema from the declaration.
#include "wire/schema.h"

#include <doctest/doctest.h>

#include "sample.h"
#include "wire/tool_input.h"

using namespace agentd;

TEST_CASE("a tool's schema stands alone and is closed") {
  CHECK(wire::schema_text<sample::ToolInput>() ==
        R"({"type":"object","properties":{)"
        R"("pattern":{"type":"string","description":"What to look for."},)"
        R"("limit":{"type":"integer","description":"At most this many.","minimum":1,)"
        R"("maximum":1000},)"
        R"("multiline":{"type":"boolean","description":"Over line ends."},)"
        R"("threshold":{"type":"number","description":"From here on."},)"
        R"("paths":{"type":"array","description":"Where to look.","items":{"type":"string"}},)"
        R"("at":{"type":"object","description":"A place.","properties":{)"
        R"("path":{"type":"string","description":"Where."},)"
        R"("line":{"type":"integer","description":"From here.","minimum":1}},)"
        R"("required":["path"],"additionalProperties":false},)"
        R"("stream":{"type":"string","enum":["stdout","stderr"],"description":"Which stream."}},)"
        R"("required":["pattern"],"additionalProperties":false})");
  CHECK(wire::input_schema<sample::ToolInput>().at("required").size() == 1);
}

TEST_CASE("in a shared schema named types are references, written once") {
  wire::Definitions definitions;
  std::string out;
  wire::append_schema<sample::Everything>(out, "All.", {}, &definitions);
  CHECK(out == R"({"$ref":"#/$defs/Everything","description":"All."})");
  std::vector<std::string> names;
  for (const auto& definition : definitions.all()) names.push_back(definition.name);
  CHECK(names == std::vector<std::string>{"Everything", "Text", "Image", "Mode"});

  const wire::Json everything = wire::Json::parse(definitions.all()[0].schema);
  CHECK(everything["description"] == "One member of each kind.");
  CHECK(everything["properties"]["mode"]["$ref"] == "#/$defs/Mode");
  CHECK(everything["properties"]["prompt"]["anyOf"][1]["items"]["oneOf"][1]["$ref"] ==
        "#/$defs/Image");
  CHECK(everything["properties"]["percent"]["type"] == wire::Json{"integer", "null"});
  CHECK_FALSE(everything.contains("additionalProperties"));
  CHECK_FALSE(everything["properties"]["extra"].contains("type"));
  CHECK(everything["properties"]["settings"]["type"] == "object");
  CHECK(everything["required"] ==
        wire::Json{"prompt", "stream", "count", "small", "ratio", "urgent"});

  CHECK(definitions.all()[1].schema ==
        R"({"type":"object","properties":{"type":{"const":"text"},)"
        R"("text":{"type":"string","description":"What is said."}},"required":["type","text"]})");
  CHECK(definitions.all()[3].schema ==
        R"({"oneOf":[{"const":"ask","description":"Asks."},{"const":"acceptEdits"},)"
        R"({"const":"plan"}]})");

  std::string again;
  wire::append_schema<sample::Everything>(again, {}, {}, &definitions);
  CHECK(definitions.all().size() == 4);
}
