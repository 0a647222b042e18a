return redis.call('DEL', key('answer'))
