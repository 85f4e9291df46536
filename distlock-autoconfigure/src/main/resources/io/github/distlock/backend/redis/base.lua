-- The data of a lock, for all verbs.
--
-- The lock is one string with a TTL: '-token|count|first', '+token|count|first' or
-- '*token|count|first' of an owner, with the first fencing token of its grant and how many the
-- grant covers; '~last'
-- while several readers may hold it, see readers.lua; or '|last', a tombstone that only keeps the last
-- fencing token for a while.
-- The queue is a sorted set, so that a ticket is found in log n steps however many wait.
-- The score of a ticket's token is its place, which counts up from 1. Above all places are
-- the scores of notes: '#token' says how the ticket is queued (see values.lua), '@instance'
-- until when the uncounted tickets of that instance count as alive; a longer member with an
-- '@' means nothing (see append.lua). A token is
-- 'instance:number'; with an F before the number an instance may have several in the
-- queue, for fair callers and readers; with an R it is a reader's. A reader with a limit is
-- named 'instance:F0limitpnumber', the limit in decimal digits. At place 0 there may be a claim,
-- '!instance', while an exclusive ticket owns the lock or its lease has ended: that instance was
-- granted the lock by a message, and more of its tickets may wait. A ticket is counted where the
-- number of receivers that PUBLISH answers can be trusted for its instance. A ticket polls if its
-- instance gets no messages: it asks until it is granted the lock, which begins with '*' then.
--
-- Invariant: while the lock is '-' or a tombstone, no ticket is in the queue; while a reader
-- owns it, no reader is; while it is '~', the first in the queue is a ticket that cannot enter: no
-- reader, or one with a limit that so many hold, unless leases have ended since, or the answer of
-- the last script began with '+', or its user may not publish (see readers.lua); and the first
-- token of '-' is not ahead of the clock. Nothing follows from the lock's '+' or '*'. No ticket
-- that holds the lock is in the queue. So a lock that no ticket waits for needs neither the queue
-- nor, at the release, the clock.
--
-- Fencing tokens are microseconds, of 16 digits until the year 2286: the frequent cases
-- compare them as text, since numbers are slow to read and to write. Text that is compared
-- with '<' or '>' consists of digits only: Lua compares strings with strcoll(), Redis takes
-- the locale from its environment, and only the order of digits is the same in all locales.

local lockKey, queueKey = KEYS[1], KEYS[2]
local time = redis.call('TIME')
local now = time[1] .. string.sub('00000' .. time[2], -6)
