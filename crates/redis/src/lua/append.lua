local why, was_own = refused(ARGV[2], ARGV[3] == '1')
if why then return why end
local unsure, first, title, seq = ARGV[6] == '1', tonumber(ARGV[7]), ARGV[8], tonumber(ARGV[9])
local phase, asks, has_checkpoint, checkpoint = ARGV[10], ARGV[11], ARGV[12] == '1', ARGV[13]
local new_messages = tonumber(ARGV[14])
local new_records = #ARGV - 14 - new_messages
local stored = redis.call('HMGET', session, 'messages', 'seq', 'title')
local stored_messages, stored_seq = tonumber(stored[1] or '0'), tonumber(stored[2] or '0')
local before = seq - new_records
-- The same may have been written already, by a call whose answer was lost. What is there of it is then left as it is.
local messages_there, records_there = 0, 0
if unsure and was_own then
  messages_there = math.max(stored_messages - first, 0)
  records_there = math.max(stored_seq - before, 0)
end
if first + messages_there ~= stored_messages or before + records_there ~= stored_seq
  or messages_there > new_messages or records_there > new_records then
  return fail('GL003')
end
keep(ARGV[2], ARGV[4], ARGV[5])
for place = messages_there + 1, new_messages do redis.call('RPUSH', messages, ARGV[14 + place]) end
if has_checkpoint then
  redis.call('DEL', records)
  redis.call('HSET', session, 'checkpoint', checkpoint)
else
  for place = records_there + 1, new_records do redis.call('RPUSH', records, ARGV[14 + new_messages + place]) end
end
if (stored[3] or '') == '' then redis.call('HSET', session, 'title', title) end
redis.call('HSET', session, 'messages', digits(first + new_messages), 'seq', digits(seq), 'phase', phase, 'asks', asks,
  'updated', digits(now))
redis.call('ZADD', 'glove:sessions', digits(now), id)
note()
return 1
