-- A whole agentd client inside Neovim 0.7 or later: one run, its text in a scratch buffer, its
-- questions as confirm() dialogs.   :luafile client.lua   then   :lua Agent("agentd", "prompt")
function Agent(binary, prompt, on_end)
  local buffer = vim.api.nvim_create_buf(true, true)
  vim.api.nvim_buf_set_name(buffer, "agentd")
  local job, partial, block

  local function send(method, params, id)
    local message = { jsonrpc = "2.0", method = method, params = params, id = id }
    vim.fn.chansend(job, vim.json.encode(message) .. "\n")
  end

  local function append(text)
    local last = vim.api.nvim_buf_get_lines(buffer, -2, -1, true)[1]
    vim.api.nvim_buf_set_lines(buffer, -2, -1, true, vim.split(last .. text, "\n"))
  end

  local on = {
    ["agent/textDelta"] = function(p) -- another block is another paragraph
      append((block and block ~= p.blockId and "\n\n" or "") .. p.text)
      block = p.blockId
    end,
    ["agent/replyDiscarded"] = function()
      append("\n[that was taken back: another reply follows]\n")
      block = nil
    end,
    ["agent/toolResult"] = function(p) append("\n[" .. p.name .. " " .. p.status .. "]\n") end,
    ["agent/approvalRequested"] = function(p)
      local question = p.name .. "?\n" .. (p.preview or vim.json.encode(p.input))
      local decision = vim.fn.confirm(question, "&Allow\n&Deny", 2) == 1 and "allow" or "deny"
      send("agent/approveTool", { runId = p.runId, toolUseId = p.toolUseId, decision = decision }, 3)
    end,
    ["agent/runEnded"] = function(p)
      append("\n[" .. p.ending .. "]")
      vim.fn.chanclose(job, "stdin") -- with lines framing: no more requests, agentd ends
      if on_end then on_end(p, buffer) end
    end,
  }

  local function on_line(line)
    local message = vim.json.decode(line)
    if message.id == 1 then send("agent/start", { prompt = prompt, cwd = vim.fn.getcwd() }, 2) end
    if message.error then error(message.error.message) end
    if on[message.method] then on[message.method](message.params) end
  end

  job = vim.fn.jobstart({ binary, "--framing", "lines" }, {
    on_stdout = function(_, lines) -- the first continues the last one, which may be unfinished
      lines[1] = (partial or "") .. lines[1]
      partial = table.remove(lines)
      for _, line in ipairs(lines) do on_line(line) end
    end,
  })
  send("initialize", { protocolVersion = 1, clientInfo = { name = "client.lua", version = "1" } }, 1)
end
