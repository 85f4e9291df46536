package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.ScriptExecutor.Answer;
import io.github.distlock.backend.redis.ScriptExecutor.Reply;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Releases a lock, and takes again a lock that this JVM has released, by one command
 * instead of a script, on a server that has {@code SET ... IFEQ}. The values are those of
 * the scripts, see {@code base.lua}, so both ways work at once on one key.
 * <p>
 * Each command replaces a value that this JVM has written and that is still there
 * unchanged: then no ticket waits, and a script would write the same. Otherwise the
 * command changes nothing, and the script follows. What is remembered here need not be
 * true: it only decides which command is tried.
 */
final class NativeCommands {

	private static final Log logger = LogFactory.getLog(NativeCommands.class);

	private static final String TOMBSTONE_MILLIS = "10000";

	/** A tombstone is tried for a shorter time than it lasts. */
	private static final long FRESH_NANOS = Duration.ofSeconds(9).toNanos();

	/** For how long one reading of the server's clock, or a failed question, counts. */
	private static final long READING_NANOS = Duration.ofSeconds(10).toNanos();

	/** By which part a clock of this machine may be too fast. */
	private static final long DRIFT = 1000;

	/** How many keys are remembered. */
	private static final int VALUES = 1024;

	/** Replies by which a server refuses a command without executing it. */
	private static final List<String> OFF = List.of("ERR syntax error", "NOPERM", "ERR unknown command");

	private final RedisConnections connections;

	private final RedisKeys keys;

	private final TimeSource time;

	private final QueueArguments arguments;

	private volatile AtomicReferenceArray<@Nullable RememberedValue> values = new AtomicReferenceArray<>(VALUES);

	/** After how many breaks of the connection the server was asked; negative: never. */
	private volatile int detectedAfter = -1;

	private volatile long askedNanos;

	private volatile boolean usable;

	/**
	 * Create an empty memory.
	 */
	NativeCommands(RedisConnections connections, RedisKeys keys, TimeSource time, QueueArguments arguments) {
		this.connections = connections;
		this.keys = keys;
		this.time = time;
		this.arguments = arguments;
		this.askedNanos = time.nanoTime() - READING_NANOS - 1;
	}

	/**
	 * Find out whether the server has the command and its user may use it. Drivers do not
	 * route such a command in a cluster, so there it is not used. If the question fails,
	 * or the connection leads to another server, it is asked again.
	 */
	void detect() {
		int breaks = this.connections.breaks.get();
		this.askedNanos = this.time.nanoTime();
		try {
			this.usable = !this.connections.isCluster()
					&& replace("detection", "native", this.keys.lock("native"), "1", "0", "1") != null;
			this.detectedAfter = breaks;
		}
		catch (LockBackendException ex) {
			logger.debug("Whether the server has SET with IFEQ is not known: scripts work everywhere", ex);
		}
	}

	/**
	 * Take a lock that this JVM was the last to release.
	 * @param marks whether to mark the value, see {@code base.lua}
	 * @return the answer of the attempt, or {@code null} if the script has to attempt
	 */
	@Nullable Answer<Reply> attempt(Ticket ticket, String lease, boolean marks) {
		RememberedValue value = this.usable ? this.values.get(slot(ticket)) : null;
		if (value == null || !value.isTombstoneOf(ticket)) {
			return null;
		}
		long first = value.clock(this.time.nanoTime());
		if (first <= value.token) {
			return null;
		}
		Answer<Boolean> answer = replace("attempt", ticket.key(), this.keys.lock(ticket.key()), "|" + value.token,
				held(ticket, marks, first), lease);
		if (answer == null || !answer.value()) {
			this.values.set(slot(ticket), null);
			return null;
		}
		this.values.set(slot(ticket), value.heldBy(ticket.token(), marks, first));
		return new Answer<>(new Reply(Reply.GRANTED, false, null, first), answer.sent(), answer.repeated());
	}

	/**
	 * The script has answered. If it granted a free lock, the first token was the time of
	 * the server, and the value is marked as requested.
	 */
	void attempted(Ticket ticket, Reply reply, boolean marks) {
		if (this.detectedAfter != this.connections.breaks.get()
				&& this.time.nanoTime() - this.askedNanos > READING_NANOS) {
			detect();
		}
		if (this.usable && !ticket.isReader() && reply.kind().equals(Reply.GRANTED) && reply.numbers().length == 1) {
			long now = this.time.nanoTime();
			this.values.set(slot(ticket), new RememberedValue(ticket.key(), ticket.token(), marks, reply.numbers()[0],
					now, reply.numbers()[0], now));
		}
	}

	/**
	 * Release a lock.
	 * @return whether it is released, otherwise the script has to; {@code null} if
	 * nothing was sent
	 */
	@Nullable Answer<Boolean> release(Ticket ticket, long lastToken) {
		RememberedValue value = value(ticket, lastToken);
		if (value == null) {
			return null;
		}
		Answer<Boolean> answer = replace("release", ticket.key(), this.keys.lock(ticket.key()),
				held(ticket, value.marked, value.token), "|" + lastToken, TOMBSTONE_MILLIS);
		boolean released = answer != null && answer.value();
		this.values.set(slot(ticket), released ? value.released(lastToken, this.time.nanoTime()) : null);
		return answer;
	}

	/**
	 * Begin a release whose answer no thread waits for.
	 * @return the command, or {@code null} if the script has to release
	 */
	@Nullable NativeRelease beginRelease(Ticket ticket, long lastToken) {
		RememberedValue value = value(ticket, lastToken);
		if (value == null) {
			return null;
		}
		// As if it had been answered: an attempt may follow at once.
		RememberedValue tombstone = value.released(lastToken, this.time.nanoTime());
		this.values.set(slot(ticket), tombstone);
		return new NativeRelease(
				List.of(this.keys.lock(ticket.key()), "|" + lastToken, "IFEQ", held(ticket, value.marked, value.token),
						"PX", TOMBSTONE_MILLIS),
				this::isRefused, () -> this.values.compareAndSet(slot(ticket), tombstone, null), this::forget);
	}

	/** What is remembered of a ticket that holds the lock, if that may be used. */
	private @Nullable RememberedValue value(Ticket ticket, long lastToken) {
		RememberedValue value = this.usable ? this.values.get(slot(ticket)) : null;
		return (value != null && ticket.token().equals(value.holder) && lastToken >= value.token) ? value : null;
	}

	private String held(Ticket ticket, boolean marked, long first) {
		return "-" + ticket.token() + "|" + this.arguments.count(marked) + "|" + first;
	}

	private static int slot(Ticket ticket) {
		return slot(ticket.key());
	}

	private static int slot(String key) {
		return Math.floorMod(key.hashCode(), VALUES);
	}

	/** Returns {@code null} if the server has refused the command. */
	private @Nullable Answer<Boolean> replace(String action, String key, String name, String expected, String value,
			String millis) {
		try {
			Answer<Replacement> answer = this.connections.send(action, key,
					(connection) -> replace(connection, name, expected, value, millis));
			return (answer.value() != Replacement.REFUSED)
					? new Answer<>(answer.value() == Replacement.DONE, answer.sent(), answer.repeated()) : null;
		}
		catch (LockBackendException ex) {
			forget();
			throw ex;
		}
	}

	/** The next answer may come from another server, which has a clock of its own. */
	private void forget() {
		this.values = new AtomicReferenceArray<>(VALUES);
	}

	/** A refusal is an answer of the same server: what is known of it stays true. */
	private Replacement replace(RedisConnection connection, String name, String expected, String value, String millis) {
		try {
			Object written = connection.execute("SET", bytes(name), bytes(value), bytes("IFEQ"), bytes(expected),
					bytes("PX"), bytes(millis));
			return (written != null) ? Replacement.DONE : Replacement.OTHER_VALUE;
		}
		catch (RuntimeException ex) {
			if (isRefused(ex)) {
				return Replacement.REFUSED;
			}
			throw ex;
		}
	}

	/** Whether the server has refused a command without executing it. */
	private boolean isRefused(Throwable failure) {
		if (OFF.stream().anyMatch((reply) -> ScriptExecutor.says(failure, reply))) {
			logger.debug("Locks are taken and released by scripts", failure);
			this.usable = false;
			return true;
		}
		return ScriptExecutor.says(failure, "OOM command not allowed");
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * What has become of the value.
	 */
	private enum Replacement {

		/** It was the expected one, and is replaced. */
		DONE,

		/** It was another one, or none. */
		OTHER_VALUE,

		/** The server does not execute such a command, or not now. */
		REFUSED

	}

	/**
	 * What this JVM has written, as it was last.
	 *
	 * @param key the key of the lock
	 * @param holder the ticket that holds it, or {@code null} for a tombstone
	 * @param marked whether the value of the holder is marked
	 * @param token the first token of the holder, or the last one that was used
	 * @param writtenNanos when it was written
	 * @param readMicros what the clock of the server said
	 * @param readNanos a moment after that
	 */
	private record RememberedValue(String key, @Nullable String holder, boolean marked, long token, long writtenNanos,
			long readMicros, long readNanos) {

		boolean isTombstoneOf(Ticket ticket) {
			return this.holder == null && this.key.equals(ticket.key()) && ticket.mode() != LockMode.READ;
		}

		/** What the clock of the server says at least; zero if that is not known. */
		long clock(long nanos) {
			long passed = nanos - this.readNanos;
			if (passed > READING_NANOS || nanos - this.writtenNanos > FRESH_NANOS) {
				return 0;
			}
			return this.readMicros + (passed - passed / DRIFT) / 1000;
		}

		RememberedValue heldBy(String ticket, boolean marks, long first) {
			return new RememberedValue(this.key, ticket, marks, first, this.writtenNanos, this.readMicros,
					this.readNanos);
		}

		RememberedValue released(long used, long nanos) {
			return new RememberedValue(this.key, null, false, used, nanos, this.readMicros, this.readNanos);
		}

	}

}
