#include "context/view_change.h"

#include <memory>

#include "context/tail.h"

namespace agentd::context {
namespace {

struct Changing {
  const View& view;

  View operator()(const Compacted& change) const {
    View compacted{std::make_shared<const Message>(Message{Role::user, change.head})};
    for (std::size_t i = safe_cut(view, change.keep_from); i < view.size(); ++i) {
      push_joined(compacted, view[i]);
    }
    return compacted;
  }
  View operator()(const OutputsCleared& change) const {
    return with_outputs_cleared(view, change.tool_use_ids);
  }
  View operator()(const ImagesReplaced& change) const {
    return with_images_replaced(view, change.note);
  }
  View operator()(const ThinkingStripped&) const { return with_thinking_stripped(view); }
};

}  // namespace

View changed_view(const View& view, const ViewChange& change) {
  return std::visit(Changing{view}, change);
}

}  // namespace agentd::context
