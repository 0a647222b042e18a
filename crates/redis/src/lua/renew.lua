-- `id` is the time; ids and holders follow.
local renewed = {}
local till = digits(now + tonumber(id))
for place = 2, #ARGV, 2 do
  id = ARGV[place]
  session = key('session')
  if redis.call('HGET', session, 'holder') == ARGV[place + 1] then
    redis.call('HSET', session, 'until', till)
    note()
    renewed[#renewed + 1] = ARGV[place + 1]
  end
end
return renewed
