-- What all scripts begin with. A script is one step for everybody else; what is wrong is found before anything is written, because
-- nothing is taken back.
local id = ARGV[1]
local function key(kind) return 'glove:' .. kind .. ':' .. id end
local session, messages, records = key('session'), key('messages'), key('records')
local permissions, inbox, waiting = key('permissions'), key('inbox'), key('waiting')
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function digits(number) return string.format('%.0f', number) end
-- GL001: somebody else holds it, GL002: has taken it over, GL003: has written, GL004: has deleted it.
local function fail(code) return redis.error_reply(code .. ' refused') end

local function ensure()
  if redis.call('EXISTS', session) == 1 then return end
  redis.call('HSET', session, 'name', '', 'title', '', 'created', digits(now), 'updated', digits(now), 'messages', '0',
    'seq', '0', 'phase', 'idle', 'asks', '0', 'tasks', '[]', 'holder', '', 'address', '', 'until', '0')
  redis.call('ZADD', 'glove:sessions', digits(now), id)
end

-- Sessions at work, by the end of their lease.
local function note()
  local about = redis.call('HMGET', session, 'phase', 'until')
  if about[1] == 'idle' or about[1] == 'waiting' or about[1] == 'paused' then
    redis.call('ZREM', 'glove:working', id)
  else
    redis.call('ZADD', 'glove:working', about[2], id)
  end
end

-- Why the session cannot be taken, and whether it was this holder's before. `had` says that it was, and then nobody else may have had
-- it since.
local function refused(holder, had)
  local found = redis.call('HMGET', session, 'holder', 'until')
  if had and not found[1] then return fail('GL004') end
  local is_own = found[1] == holder
  if found[1] and found[1] ~= '' and not is_own and tonumber(found[2]) > now then return fail('GL001') end
  if had and not is_own then return fail('GL002') end
  return nil, is_own
end

local function keep(holder, address, millis)
  ensure()
  redis.call('HSET', session, 'holder', holder, 'address', address, 'until', digits(now + tonumber(millis)))
end
