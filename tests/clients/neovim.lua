-- Drives protocol/examples/client.lua in a headless Neovim: every question is allowed, the buffer
-- goes to the file OUT. Exit status 1 if the run was no success or anything failed.
vim.fn.confirm = function() return 1 end
local ok, fault = pcall(function()
  dofile(vim.env.CLIENT)
  local ended, buffer
  Agent(vim.env.AGENTD, vim.env.PROMPT, function(params, in_buffer)
    ended, buffer = params, in_buffer
  end)
  assert(vim.wait(60000, function() return ended ~= nil end, 10), "the run did not end")
  assert(ended.outcome == "success", "the run ended with " .. ended.ending)
  vim.fn.writefile(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), vim.env.OUT)
end)
if not ok then io.stderr:write(fault .. "\n") end
vim.cmd(ok and "qall!" or "cquit 1")
