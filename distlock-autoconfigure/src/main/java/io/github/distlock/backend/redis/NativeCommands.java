package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Releases a lock, and takes again a lock that this JVM has released, by one command
 * instead of a script, on a server that has {@code SET ... IFEQ}. The values are those of
 * the scripts, see {@code base.lua}, so both ways work at once on one key.
 * <p>
 * Each command replaces a value that this JVM has written and that is still there
 * unchanged: then no ticket waits, and a script would write the same. Otherwise the
 * command changes nothing, and the script follows. What is remembered here need not be
 * true: it only decides which command is tried. Thread-safe.
 */
final class NativeCommands {

	private static final Log logger = LockLog.of(NativeCommands.class);

	private static final String TOMBSTONE_MILLIS = "10000";

	/**
	 * For how long one reading of the server's clock counts: for a shorter time than a
	 * tombstone lasts, which is written after it.
	 */
	private static final long READING_NANOS = Duration.ofSeconds(9).toNanos();

	/** By which part a clock of this machine may be too fast. */
	private static final long DRIFT = 1000;

	/** How many keys are remembered. */
	private static final int VALUES = 1024;

	/** Replies of a server that does not have the command, or not for this user. */
	private static final List<String> OFF = List.of("ERR syntax error", "NOPERM", "ERR unknown command");

	private final RedisConnections connections;

	private final RedisKeys keys;

	private final TimeSource time;

	private final int tokensPerGrant;

	private volatile AtomicReferenceArray<@Nullable RememberedValue> values = new AtomicReferenceArray<>(VALUES);

	/**
	 * After how many breaks of the connection the server has refused the command.
	 * Negative: never. Another server is tried again.
	 */
	private volatile int refusedAfter = -1;

	NativeCommands(RedisConnections connections, RedisKeys keys, TimeSource time, int tokensPerGrant) {
		this.connections = connections;
		this.keys = keys;
		this.time = time;
		this.tokensPerGrant = tokensPerGrant;
	}

	/** Drivers do not route such a command in a cluster. */
	private boolean isUsable() {
		return this.refusedAfter != this.connections.breaks() && !this.connections.isCluster();
	}

	/**
	 * Take a lock that this JVM was the last to release.
	 * @return completes with the first token of the grant, or zero if the script has to
	 * attempt; {@code null} if nothing was sent
	 */
	@Nullable CompletionStage<Long> attempt(RedisCommands commands, Ticket ticket, String lease) {
		RememberedValue value = remembered(ticket);
		if (value == null || value.holder != null) {
			return null;
		}
		long first = value.clock(this.time.nanoTime());
		if (first <= value.token) {
			return null;
		}
		return replace(commands, ticket.key(), "|" + value.token, held(ticket, first), lease).thenApply((taken) -> {
			this.values.set(slot(ticket), taken ? value.with(ticket.token(), first) : null);
			return taken ? first : 0;
		});
	}

	/**
	 * The script has answered. If it granted a free lock, the first token was the time of
	 * the server.
	 */
	void attempted(Ticket ticket, Reply reply) {
		if (reply.kind().equals(Reply.GRANTED) && reply.numbers().length == 1 && isUsable()) {
			long now = this.time.nanoTime();
			long first = reply.numbers()[0];
			this.values.set(slot(ticket),
					new RememberedValue(ticket.key(), ticket.token(), first, first, now, this.connections.breaks()));
		}
	}

	/**
	 * Release a lock.
	 * @return completes with whether it is released, otherwise the script has to;
	 * {@code null} if nothing was sent
	 */
	@Nullable CompletionStage<Boolean> release(RedisCommands commands, Ticket ticket, long lastToken) {
		RememberedValue value = remembered(ticket);
		if (value == null || !ticket.token().equals(value.holder) || lastToken < value.token) {
			return null;
		}
		// As if it had been answered: an attempt may follow at once.
		RememberedValue tombstone = value.with(null, lastToken);
		this.values.set(slot(ticket), tombstone);
		return replace(commands, ticket.key(), held(ticket, value.token), "|" + lastToken, TOMBSTONE_MILLIS)
			.thenApply((released) -> {
				if (!released) {
					this.values.compareAndSet(slot(ticket), tombstone, null);
				}
				return released;
			});
	}

	private @Nullable RememberedValue remembered(Ticket ticket) {
		RememberedValue value = this.values.get(slot(ticket));
		return (value != null && value.key.equals(ticket.key()) && value.breaks == this.connections.breaks()
				&& isUsable()) ? value : null;
	}

	private String held(Ticket ticket, long first) {
		return "-" + ticket.token() + "|" + (ticket.isReader() ? 1 : this.tokensPerGrant) + "|" + first;
	}

	private static int slot(Ticket ticket) {
		return Math.floorMod(ticket.key().hashCode(), VALUES);
	}

	/**
	 * Replace a value. The answer is the value that was there, so that the answer of
	 * another command is not taken for a success.
	 * @return completes with {@code false} if it was another one, or if the server has
	 * refused the command: that is an answer, and what is known of the server stays true
	 */
	private CompletionStage<Boolean> replace(RedisCommands commands, String key, String expected, String value,
			String millis) {
		return commands
			.execute("SET", RedisCommands.bytes(this.keys.lock(key), value, "IFEQ", expected, "PX", millis, "GET"))
			.thenApply(expected::equals)
			.exceptionallyCompose((failure) -> {
				if (isRefusal(failure)) {
					return CompletableFuture.completedFuture(false);
				}
				// The next answer may come from another server, with a clock of its own.
				this.values = new AtomicReferenceArray<>(VALUES);
				return CompletableFuture.failedFuture(failure);
			});
	}

	private boolean isRefusal(Throwable failure) {
		if (OFF.stream().anyMatch((reply) -> RedisServer.says(failure, reply))) {
			logger.debug("Locks are taken and released by scripts", failure);
			this.refusedAfter = this.connections.breaks();
			return true;
		}
		return RedisServer.says(failure, "OOM command not allowed");
	}

	/**
	 * What this JVM has written, as it was last.
	 *
	 * @param key the key of the lock
	 * @param holder the ticket that holds it, or {@code null} for a tombstone
	 * @param token the first token of the holder, or the last one that was used
	 * @param readMicros what the clock of the server said
	 * @param readNanos a moment after that
	 * @param breaks how often the connection had broken
	 */
	private record RememberedValue(String key, @Nullable String holder, long token, long readMicros, long readNanos,
			int breaks) {

		/** What the clock of the server says at least; zero if that is not known. */
		long clock(long nanos) {
			long passed = nanos - this.readNanos;
			return (passed > READING_NANOS) ? 0 : this.readMicros + (passed - passed / DRIFT) / 1000;
		}

		RememberedValue with(@Nullable String newHolder, long newToken) {
			return new RememberedValue(this.key, newHolder, newToken, this.readMicros, this.readNanos, this.breaks);
		}

	}

}
