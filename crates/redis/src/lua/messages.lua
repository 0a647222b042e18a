return redis.call('LRANGE', messages, 0, -1)
