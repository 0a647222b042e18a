return redis.call('HGET', session, ARGV[2])
