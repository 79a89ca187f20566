# Turns one text file into a header with a raw string literal. Run with -DINPUT -DOUTPUT -DSYMBOL.
file(READ ${INPUT} content)
file(WRITE ${OUTPUT}
"#pragma once
#include <string_view>
namespace agentd::embedded {
inline constexpr std::string_view ${SYMBOL} = R\"AGENTDTEXT(${content})AGENTDTEXT\";
}
")
