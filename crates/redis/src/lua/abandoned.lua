-- Of the last hour; others at each call where there are many.
local from, most = digits(now - 3600000), 32
local count = redis.call('ZCOUNT', 'glove:working', from, digits(now))
local skip = count > most and tonumber(time[2]) % (count - most + 1) or 0
return redis.call('ZRANGEBYSCORE', 'glove:working', from, digits(now), 'LIMIT', skip, most)
