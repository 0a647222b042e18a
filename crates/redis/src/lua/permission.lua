return redis.call('HGET', permissions, ARGV[2])
