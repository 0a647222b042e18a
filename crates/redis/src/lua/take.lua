local why = refused(ARGV[2], ARGV[3] == '1')
if why then return why end
local found = redis.call('HMGET', session, 'holder', 'phase', 'deaths', 'died')
local works = found[2] and found[2] ~= 'idle' and found[2] ~= 'waiting' and found[2] ~= 'paused'
-- Its holder ended in the middle of work.
if works and found[1] ~= '' and found[1] ~= ARGV[2] then
  local before = tonumber(found[4] or '0') > now - 600000 and tonumber(found[3] or '0') or 0
  redis.call('HSET', session, 'deaths', digits(before + 1), 'died', digits(now))
end
keep(ARGV[2], ARGV[4], ARGV[5])
note()
return 1
