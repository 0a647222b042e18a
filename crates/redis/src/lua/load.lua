local about = redis.call('HMGET', session, 'messages', 'seq', 'checkpoint')
if not about[1] then return false end
return { about[1], about[2], about[3], redis.call('LRANGE', messages, 0, -1), redis.call('LRANGE', records, 0, -1) }
