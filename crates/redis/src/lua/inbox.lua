local items = {}
for _, item in ipairs(redis.call('LRANGE', waiting, 0, -1)) do
  items[#items + 1] = redis.call('HGET', inbox, item)
end
return items
