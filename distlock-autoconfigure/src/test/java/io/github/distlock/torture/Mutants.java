package io.github.distlock.torture;

import java.util.List;

import static io.github.distlock.torture.Mutant.java;
import static io.github.distlock.torture.Mutant.lua;

/**
 * Common faults of distributed locks.
 */
final class Mutants {

	private static final String OWNER_CHECK_OF_RELEASE = """
			if not value or kind ~= READERS and string.sub(value, 2, #token + 2) ~= token .. '|' then
			  return 'gone'
			end
			""";

	private static final String NO_OWNER_CHECK = """
			if not value then
			  return 'gone'
			end
			""";

	private static final String RELEASE_COMMAND = "CompletionStage<ReleaseResult> sent = send(ticket, lastToken, next);";

	/** Check the owner in one command and act on the result in the next. */
	private static final String ASK_FIRST = """
			CompletionStage<ReleaseResult> sent = this.connections.send("release", ticket.key(),
					(commands) -> ask(commands,
							new org.springframework.data.redis.core.script.DefaultRedisScript<>(
									"local w = redis.call('GET', KEYS[1])"
											+ " return (w and string.find(w, ARGV[1] .. '|', 2, true) == 2 and 'ok' or 'gone') .. ARGV[2]",
									String.class),
							ticket, (reply) -> reply.kind().equals("ok"), ticket.token()))
				.thenCompose((mine) -> mine ? send(ticket, lastToken, next)
						: CompletableFuture.completedFuture(new ReleaseResult(false, null)));
			""";

	private static final String EXPIRE_THEN_GRANTED = """
						case Reply.GRANTED -> {
							commands.run(
									new org.springframework.data.redis.core.script.DefaultRedisScript<>(
											"return redis.call('PEXPIRE', KEYS[1], ARGV[1]) .. ARGV[2]", String.class),
									this.keys.of(ticket), millis(lease));
							yield granted(ticket, reply, sent, lease);
						}
			""";

	private static final String READ_TOMBSTONE = """
			return commands.execute("GET", RedisCommands.bytes(this.keys.lock(ticket.key())))
				.thenCompose((found) -> replace(commands, ticket.key(),
						(found != null && found.startsWith("|")) ? found : "|" + value.token, held(ticket, first), lease))
				.thenApply((taken) -> {
			""";

	private static final String REPLACEMENT = "RedisCommands.bytes("
			+ "this.keys.lock(key), value, \"IFEQ\", expected, \"PX\", millis, \"GET\")";

	static final List<Hunt> ALL = List.of(
			Hunt.of(Mutant.of("release without owner check",
					lua("release.lua", OWNER_CHECK_OF_RELEASE, NO_OWNER_CHECK)))
				.slow(),
			Hunt.of(Mutant.of("get and delete not atomic", lua("release.lua", OWNER_CHECK_OF_RELEASE, NO_OWNER_CHECK),
					java("backend/redis/RedisLockStore.java", RELEASE_COMMAND, ASK_FIRST)))
				.slow(),
			Hunt.of(Mutant.of("lock and expiry in two commands",
					lua("attempt.lua", "if redis.pcall('PSETEX', lockKey, lease, owned).err then",
							"if redis.pcall('SET', lockKey, owned).err then"),
					java("backend/redis/RedisLockStore.java",
							"case Reply.GRANTED -> granted(ticket, reply, sent, lease);", EXPIRE_THEN_GRANTED)))
				.killingCallers(),
			Hunt.of(Mutant.of("renewal without owner check",
					lua("renew.lua", "if value and string.sub(value, 2) == ARGV[i * 2 - 1] then", "if value then"),
					// A missing owner check does harm only if a renewal can shorten a
					// lease.
					lua("renew.lua", "if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[i * 2]) then", "if true then")))
				.lateRenewals(),
			Hunt.of(Mutant.of("renewal after release", lua("renew.lua", """
					  if value and string.sub(value, 2) == ARGV[i * 2 - 1] then
					    answers[i] = 1
					""", """
					  if not value or string.byte(value) == TOMBSTONE or string.sub(value, 2) == ARGV[i * 2 - 1] then
					    redis.call('SET', KEYS[i], '+' .. ARGV[i * 2 - 1], 'PX', ARGV[i * 2])
					    answers[i] = 1
					"""),
					java("engine/Hold.java", "if (STATE.compareAndSet(this, now, now.ended())) {",
							"if (STATE.compareAndSet(this, now, now)) {"),
					java("engine/HeldLocks.java", "valid = leftNanos > 0; this.renewer.forget(hold);",
							"valid = leftNanos > 0;")))
				.spread(),
			Hunt.of(Mutant.of("validity counted from the reply",
					java("backend/redis/RedisLockStore.java",
							"case Reply.GRANTED -> granted(ticket, reply, sent, lease);",
							"case Reply.GRANTED -> granted(ticket, reply, this.clock.now(), lease);")))
				.slow(),
			Hunt.of(Mutant.of("token not raised on take-over", lua("attempt.lua", "local owned = '-' .. token", """
					if value then
					  now = string.sub(value, 2)
					end
					local owned = '-' .. token"""),
					lua("values.lua", "return math.max(last + 1, nowMicros)", "return math.max(last, 1)"))),
			Hunt.of(Mutant.of("waiter without a timer",
					java("engine/KeyState.java", "queued.due |= timer.attemptOrDefer();", "timer.attemptOrDefer();"),
					java("engine/KeyState.java", "if (nothingIsToCome && this.live instanceof QueuedTicket queued) {",
							"if (false && this.live instanceof QueuedTicket queued) {")))
				.patient(),
			Hunt.of(Mutant.of("no compensating release", java("backend/redis/RedisLockStore.java",
					"(commands) -> ask(commands, Scripts.CANCEL, ticket, Function.identity(), ticket.token()));",
					"(commands) -> CompletableFuture.completedFuture(true));")))
				.losingReplies(),
			Hunt.of(Mutant.of("hold count in the store", lua("attempt.lua", """
					-- Never refreshed: a stray copy must not lengthen anything.
					""", """
					redis.call('SET', lockKey .. ':again', token, 'PX', 30000)
					"""), lua("release.lua", OWNER_CHECK_OF_RELEASE, OWNER_CHECK_OF_RELEASE + """
					if redis.call('GET', KEYS[1] .. ':again') == token then
					  redis.call('DEL', KEYS[1] .. ':again')
					  return 'ok'
					end
					"""))).losingReplies(),
			Hunt.of(Mutant.of("hand-off without the deadline check", java("engine/HandOffLimits.java", """
					&& clock.nanoTime() - turnNanos < this.maxTime.toNanos()
					""", ""),
					java("engine/HandOffLimits.java",
							"""
									&& from.validity().remainingNanos(clock) >= Math.min(SUFFICIENT_LEASE_NANOS, from.lease.toNanos() / 2)
									""",
							""),
					java("engine/Hold.java", "this.lastToken, validity())", """
							this.lastToken,
									io.github.distlock.backend.Validity.until(
											io.github.distlock.backend.TimeSource.SYSTEM.now(),
											java.time.Duration.ofNanos(validity().ttlNanos())))
							""")))
				.quiet(),
			Hunt.of(Mutant.of("reader beside a writer",
					lua("attempt.lua", "local granted = reader and owner == '~' and holds(false)",
							"local granted = reader and holds(false)")))
				.reading(),
			Hunt.of(Mutant.of("readers taken for a free lock",
					lua("attempt.lua", "string.byte(value) == TOMBSTONE and #value == #now + 1", "#value == #now + 1")))
				.reading(),
			Hunt.of(Mutant.of("first reader that leaves frees the lock",
					lua("grant.lua", "if settle(last) then", "if false then")))
				.reading(),
			Hunt.of(Mutant.of("reader past a writer that waits",
					lua("attempt.lua", "if not mine and owner == '~' and not head() and mayEnter(token) then",
							"if not mine and owner == '~' then")))
				.reading(),
			Hunt.of(Mutant.of("release checks the JVM and not the ticket",
					lua("release.lua", OWNER_CHECK_OF_RELEASE, """
							if not value or kind ~= READERS
							    and string.match(value, '^.(.*):') ~= string.match(token, '^(.*):') then
							  return 'gone'
							end
							""")))
				.inBackground()
				.losingReplies(),
			Hunt.of(Mutant.of("native release without owner check", java("backend/redis/NativeCommands.java",
					REPLACEMENT,
					"value.startsWith(\"|\") ? RedisCommands.bytes(this.keys.lock(key), value, \"PX\", millis, \"GET\") : "
							+ REPLACEMENT)))
				.onValkey()
				.slowAndSpread(),
			Hunt.of(Mutant.of("native attempt replaces any tombstone", java("backend/redis/NativeCommands.java",
					"return replace(commands, ticket.key(), \"|\" + value.token, held(ticket, first), lease).thenApply((taken) -> {",
					READ_TOMBSTONE)))
				.onValkey()
				.brief(),
			Hunt.of(Mutant.of("ZooKeeper writer past readers",
					java("backend/zookeeper/NodeQueue.java", "if (!(reader && node.isReader())) {",
							"if (!node.isReader()) {")))
				.onZooKeeper(),
			Hunt.of(Mutant.of("ZooKeeper lock outlives its session",
					java("backend/zookeeper/ZooKeeperSession.java", "extend(Validity.until(received, this.timeout));",
							"extend(Validity.until(received, this.timeout.multipliedBy(3)));")))
				.onZooKeeper());

	private Mutants() {
	}

}
