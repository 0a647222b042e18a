ensure()
redis.call('HSET', session, ARGV[2], ARGV[3])
return 1
