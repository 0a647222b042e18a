if redis.call('EXISTS', session) == 1 then return 0 end
ensure()
redis.call('HSET', session, 'name', ARGV[2], 'title', ARGV[3], 'created', ARGV[4], 'updated', ARGV[5], 'seq', ARGV[6],
  'phase', ARGV[7], 'asks', ARGV[8], 'tasks', ARGV[9], 'messages', ARGV[12])
if ARGV[10] == '1' then redis.call('HSET', session, 'checkpoint', ARGV[11]) end
redis.call('ZADD', 'glove:sessions', ARGV[5], id)
local count = tonumber(ARGV[12])
for place = 13, 12 + count do redis.call('RPUSH', messages, ARGV[place]) end
for place = 13 + count, #ARGV, 2 do
  redis.call('HSET', inbox, ARGV[place], ARGV[place + 1])
  redis.call('RPUSH', waiting, ARGV[place])
end
return 1
