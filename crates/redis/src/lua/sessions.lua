-- All, or the one that is named.
local ids = id == '' and redis.call('ZREVRANGE', 'glove:sessions', 0, -1) or { id }
local found = {}
for _, each in ipairs(ids) do
  id = each
  local about = redis.call('HMGET', key('session'), 'name', 'title', 'messages', 'created', 'updated', 'phase', 'asks', 'deaths')
  if about[1] then
    about[9] = each
    found[#found + 1] = about
  end
end
return found
