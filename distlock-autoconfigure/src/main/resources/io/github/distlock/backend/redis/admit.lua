-- KEYS: lock, queue, and for readers and writers: readers
-- Lets in the next readers at the head of the queue. Sent after each answer that begins with
-- a '+', until an answer does not.
-- Answers 'ok', after a '+' if more readers are to be let in
-- include: first-bytes.lua
-- include: base.lua
-- include: grant.lua
local owner, _, last = read(redis.call('GET', lockKey))
if owner == '~' then
  join(last)
end
return answer('ok')
