-- KEYS: lock, queue, and for readers and writers: readers
-- Lets in the next portion of the readers at the head of the queue. Sent after each answer
-- that began with a '+', until one does not.
-- Answers 'ok', after a '+' if readers are still to be let in
-- include: base.lua
-- include: grant.lua
local owner, _, last = read(redis.call('GET', lockKey))
if owner == '~' then
  join(last)
end
return answer('ok')
