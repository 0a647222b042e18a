ensure()
redis.call('HSET', permissions, ARGV[2], ARGV[3])
return 1
