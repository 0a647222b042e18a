-- What was consumed stays known by its id, so that it does not come a second time.
for place = 2, #ARGV do
  if redis.call('LREM', waiting, 0, ARGV[place]) > 0 then redis.call('HSET', inbox, ARGV[place], '') end
end
return 1
