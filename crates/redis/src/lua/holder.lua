local found = redis.call('HMGET', session, 'holder', 'until', 'address')
if not found[1] or found[1] == '' or tonumber(found[2]) <= now then return false end
return found[3]
