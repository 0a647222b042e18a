if redis.call('HGET', session, 'holder') ~= ARGV[2] then return 0 end
redis.call('HSET', session, 'holder', '', 'until', digits(now))
note()
return 1
