ensure()
if redis.call('HSETNX', inbox, ARGV[2], ARGV[3]) == 1 then redis.call('RPUSH', waiting, ARGV[2]) end
return 1
