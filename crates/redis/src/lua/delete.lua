local found = redis.call('HMGET', session, 'holder', 'until')
if not found[1] then return 0 end
local is_own = found[1] == ''
for place = 2, #ARGV do is_own = is_own or ARGV[place] == found[1] end
if not is_own and tonumber(found[2]) > now then return fail('GL001') end
redis.call('DEL', session, messages, records, permissions, inbox, waiting)
redis.call('ZREM', 'glove:sessions', id)
redis.call('ZREM', 'glove:working', id)
return 1
