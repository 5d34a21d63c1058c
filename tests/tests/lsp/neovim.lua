-- Asks the language server for everything that it can do, and writes the results to a file as JSON. Environment
-- variables name the command, the template and the file.
local result = {}
local ended
local client = vim.lsp.start_client({
  name = 'wattle',
  cmd = { vim.env.WATTLE, 'lsp' },
  on_exit = function(code) ended = code end,
})
vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.TEMPLATE))
vim.lsp.buf_attach_client(0, client)

local function wait(what, condition)
  if not vim.wait(60000, condition, 20) then error('waited too long: ' .. what) end
end
local function lines() return vim.api.nvim_buf_get_lines(0, 0, -1, false) end
-- Puts the cursor `offset` bytes after the start of the first occurrence of a text.
local function go(text, offset)
  for number, line in ipairs(lines()) do
    local column = line:find(text, 1, true)
    if column then return vim.api.nvim_win_set_cursor(0, { number, column - 1 + (offset or 0) }) end
  end
  error('there is no ' .. text)
end
local function replace(old, new)
  go(old)
  local at = vim.api.nvim_win_get_cursor(0)
  vim.api.nvim_buf_set_text(0, at[1] - 1, at[2], at[1] - 1, at[2] + #old, { new })
end
local function request(method)
  local params = vim.lsp.util.make_position_params()
  if method == 'textDocument/references' then params.context = { includeDeclaration = true } end
  local answers = assert(vim.lsp.buf_request_sync(0, method, params, 60000))
  assert(answers[client] and not answers[client].error, method .. ': ' .. vim.inspect(answers))
  return answers[client].result
end
local function labels(text, offset)
  go(text, offset)
  return vim.tbl_map(function(item) return item.label end, request('textDocument/completion'))
end

local function run()
  wait('the server begins', function() return vim.lsp.buf_is_attached(0, client) and vim.lsp.get_client_by_id(client).initialized end)

  -- Diagnostics follow unsaved text.
  replace('m1.small', '{get_param: flavour}')
  wait('diagnostics', function() return #vim.diagnostic.get(0) > 0 end)
  result.diagnostics = vim.tbl_map(function(one)
    local code = one.code or (one.user_data and one.user_data.lsp and one.user_data.lsp.code)
    return { message = one.message, code = code, from = one.col, to = one.end_col, source = one.source }
  end, vim.diagnostic.get(0))
  replace('{get_param: flavour}', 'm1.small')
  wait('no diagnostics', function() return #vim.diagnostic.get(0) == 0 end)

  go('OS::Neutron::Net', 4)
  result.hover = request('textDocument/hover').contents.value

  -- Completion also works in an unfinished line.
  replace('[db, database, url]', '[db, database, ')
  result.outputs = labels('[db, database, ', #'[db, database, ')
  replace('[db, database, ', '[db, database, url]')
  result.types = labels('type: OS::Neutron::Net', #'type: OS::Ne')
  result.properties = labels('flavor: m1.small', 3)

  go('{get_param: password}', #'{get_param: p')
  vim.lsp.buf.definition()
  local from = vim.api.nvim_win_get_cursor(0)[1]
  wait('a definition', function() return vim.api.nvim_win_get_cursor(0)[1] ~= from end)
  result.definition = vim.api.nvim_get_current_line()

  go('  net:', 2)
  result.references = #request('textDocument/references')
  result.symbols = vim.tbl_map(function(symbol) return symbol.name end, request('textDocument/documentSymbol'))

  go('  db:', 2)
  local before = vim.fn.join(lines(), '\n')
  vim.lsp.buf.rename('store')
  wait('a rename', function() return vim.fn.join(lines(), '\n') ~= before end)
  result.renamed = lines()

  vim.lsp.stop_client(client)
  wait('the server ends', function() return ended ~= nil end)
  result.ended = ended
end

local fine, problem = pcall(run)
if not fine then result = { problem = tostring(problem) } end
vim.fn.writefile({ vim.fn.json_encode(result) }, vim.env.RESULT)
vim.cmd('qall!')
