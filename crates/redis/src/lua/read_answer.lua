return redis.call('LRANGE', key('answer'), ARGV[2], -1)
