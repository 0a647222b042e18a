local answer, call, unsure = key('answer'), ARGV[2], ARGV[3] == '1'
-- The same may have been written already, by a call whose answer was lost.
if unsure then
  for place, event in ipairs(redis.call('LRANGE', answer, 0, -1)) do
    if string.sub(event, 1, #call) == call then return place - 1 end
  end
end
local before = redis.call('LLEN', answer)
for place = 4, #ARGV do redis.call('RPUSH', answer, call .. ' ' .. ARGV[place]) end
redis.call('EXPIRE', answer, 300)
return before
