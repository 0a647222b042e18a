return redis.call('EXISTS', session)
