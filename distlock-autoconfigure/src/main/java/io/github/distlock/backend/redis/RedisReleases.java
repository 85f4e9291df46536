package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.ScriptExecutor.Answer;
import io.github.distlock.backend.redis.ScriptExecutor.Reply;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.BaseRedisAsyncCommands;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Sends releases without waiting for their answers, over the connection that all threads
 * share. A command that any thread sends after that is executed and answered later. Only
 * the dedicated connections of Lettuce keep that order and end each command after a
 * time-out, and not those to a cluster, which redirects commands.
 * <p>
 * A release may need a second command: its script, if a native command has found another
 * value, or the text of the script, if the server has forgotten it.
 * <p>
 * <b>Invariant.</b> No attempt by a script is executed between the first command of a
 * release and the second: it would be refused by the ticket that is released. While a
 * native command is not answered, such an attempt waits until the script of the release
 * is written. It does not wait while a script is not answered; but then the text is not
 * sent any more, and the release fails. So each answer of such an attempt is given after
 * the release was executed, or the release has failed. An attempt by a native command
 * does not wait: if it is executed too early, it finds the value of the grant that is
 * released, so it changes nothing, and is no refusal. The model of the protocol has this
 * rule, and finds what happens without it ({@code SCRIPT_BEHIND_NATIVE_RELEASE}).
 * <p>
 * If a command fails in another way, so does the release: nothing else is sent for it
 * here, and the caller repeats it. A late copy of a native command finds another value
 * then, or ends the same grant with the same token. Thread-safe.
 */
final class RedisReleases {

	private static final Reply RELEASED = new Reply("ok", false, null);

	private final RedisConnectionFactory dedicated;

	private final TimeSource clock;

	private final Duration timeout;

	private final BiFunction<String, Throwable, LockBackendException> failures;

	/**
	 * The releases that are not answered, by key. A second one of the same key is not
	 * here: it uses no native command, and fails if its script is forgotten.
	 */
	private final ConcurrentMap<String, SentRelease> unanswered = new ConcurrentHashMap<>();

	/** Whether the server behind the connection knows the script, as far as is known. */
	private volatile boolean known;

	/**
	 * Create the sender.
	 * @param dedicated makes the connection: that of Lettuce, not to a cluster
	 * @param clock the time
	 * @param commandTimeout after which a command has failed at the latest
	 * @param failures makes the exception for a release of a key that failed. Called on a
	 * thread of the driver
	 */
	RedisReleases(RedisConnectionFactory dedicated, TimeSource clock, Duration commandTimeout,
			BiFunction<String, Throwable, LockBackendException> failures) {
		this.dedicated = dedicated;
		this.clock = clock;
		// The driver's own time-out comes first.
		this.timeout = commandTimeout.multipliedBy(2);
		this.failures = failures;
	}

	/** The connection is lost: another server may answer the next command. */
	void disconnected() {
		this.known = false;
	}

	/**
	 * Send a release. An interrupt does not cut that short.
	 * @param nativeCommand begins the native command that is tried first, if there is one
	 * @param keys the keys of the script
	 * @param args the arguments of the script
	 * @return completes on a thread of the driver
	 */
	CompletionStage<Answer<Reply>> send(Ticket ticket, Supplier<@Nullable NativeRelease> nativeCommand,
			List<String> keys, String... args) {
		SentRelease release = new SentRelease(ticket.key(), keys, args);
		boolean only = this.unanswered.putIfAbsent(ticket.key(), release) == null;
		boolean interrupted = Thread.interrupted();
		NativeRelease first = null;
		try (RedisConnection connection = this.dedicated.getConnection()) {
			RedisScriptingAsyncCommands<byte[], byte[]> commands = commands(connection);
			first = only ? nativeCommand.get() : null;
			return ((first != null) ? sendNative(commands, release, first) : sendScript(commands, release, !this.known))
				.whenComplete((answer, failure) -> ended(release));
		}
		catch (Throwable ex) {
			if (first != null) {
				first.failure().run();
			}
			ended(release);
			throw this.failures.apply(ticket.key(), ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void ended(SentRelease release) {
		this.unanswered.remove(release.key, release);
		release.scriptSent.complete(true);
	}

	/** Called before a key is attempted by a script. Waits until that is allowed. */
	void beforeAttempt(String key) {
		SentRelease release = this.unanswered.get(key);
		if (release == null) {
			return;
		}
		try {
			StoreCalls.awaitUninterruptibly(release.scriptSent, this.timeout, this.clock);
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new LockBackendException("Lock '" + key + "' was not attempted, because Redis has not answered the"
					+ " release of its previous holder in this JVM", ex);
		}
		release.lock.lock();
		try {
			release.followed = true;
		}
		finally {
			release.lock.unlock();
		}
	}

	/** Send a native command, and the script if the value was another one. */
	private CompletionStage<Answer<Reply>> sendNative(RedisScriptingAsyncCommands<byte[], byte[]> commands,
			SentRelease release, NativeRelease command) {
		CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
		for (String each : command.args()) {
			args.add(each.getBytes(StandardCharsets.UTF_8));
		}
		TimeSource.Instant sent = this.clock.now();
		return anyCommands(commands).dispatch(CommandType.SET, new StatusOutput<>(ByteArrayCodec.INSTANCE), args)
			.handle((status, failure) -> {
				if (failure == null && status != null) {
					return CompletableFuture.completedFuture(new Answer<>(RELEASED, sent, false));
				}
				if (failure != null && !command.refusal().test(failure)) {
					command.failure().run();
					throw this.failures.apply(release.key, StoreCalls.unwrap(failure));
				}
				command.withdrawal().run();
				return sendScript(commands, release, !this.known);
			})
			.thenCompose(Function.identity());
	}

	/** Send the script, by its text unless the connection has executed it before. */
	private CompletionStage<Answer<Reply>> sendScript(RedisScriptingAsyncCommands<byte[], byte[]> commands,
			SentRelease release, boolean text) {
		TimeSource.Instant sent = this.clock.now();
		CompletionStage<byte[]> sending = text
				? LettuceScripts.sendText(commands, Scripts.RELEASE, ScriptOutputType.VALUE, release.keys, release.args)
				: LettuceScripts.sendDigest(commands, Scripts.RELEASE, ScriptOutputType.VALUE, release.keys,
						release.args);
		release.scriptSent.complete(true);
		return sending.handle((bytes, failure) -> {
			this.known = failure == null;
			if (failure == null) {
				Reply reply = Reply.parse(bytes);
				if (reply.admitsMore()) {
					admitReaders(commands, release.keys, Scripts.MAX_PORTIONS);
				}
				return CompletableFuture.completedFuture(new Answer<>(reply, sent, false));
			}
			CompletionStage<Answer<Reply>> again = (!text && LettuceScripts.isUnknownScript(failure))
					? sendText(commands, release) : null;
			if (again == null) {
				throw this.failures.apply(release.key, StoreCalls.unwrap(failure));
			}
			return again;
		}).thenCompose(Function.identity());
	}

	/**
	 * Send the text of a script that the server has forgotten.
	 * @return {@code null} if an attempt may have been written meanwhile
	 */
	private @Nullable CompletionStage<Answer<Reply>> sendText(RedisScriptingAsyncCommands<byte[], byte[]> commands,
			SentRelease release) {
		release.lock.lock();
		try {
			boolean alone = !release.followed && this.unanswered.get(release.key) == release;
			return alone ? sendScript(commands, release, true) : null;
		}
		finally {
			release.lock.unlock();
		}
	}

	/**
	 * Let in the readers at the head of the queue. If this fails, they are let in when
	 * the first of them attempts again.
	 */
	private static void admitReaders(RedisScriptingAsyncCommands<byte[], byte[]> commands, List<String> keys,
			int portions) {
		LettuceScripts.<byte[]>send(commands, Scripts.ADMIT, ScriptOutputType.VALUE, keys).thenAccept((answer) -> {
			if (portions > 1 && Reply.parse(answer).admitsMore()) {
				admitReaders(commands, keys, portions - 1);
			}
		});
	}

	@SuppressWarnings("unchecked")
	private static RedisScriptingAsyncCommands<byte[], byte[]> commands(RedisConnection connection) {
		return (RedisScriptingAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
	}

	/** What sends scripts to one server sends all other commands, too. */
	@SuppressWarnings("unchecked")
	private static BaseRedisAsyncCommands<byte[], byte[]> anyCommands(
			RedisScriptingAsyncCommands<byte[], byte[]> commands) {
		return (BaseRedisAsyncCommands<byte[], byte[]>) commands;
	}

	/** A release that is not answered. */
	private static final class SentRelease {

		private final String key;

		private final List<String> keys;

		private final String[] args;

		/** Completes when the script is written, or not needed. */
		private final CompletableFuture<Boolean> scriptSent = new CompletableFuture<>();

		private final ReentrantLock lock = new ReentrantLock();

		/** Whether an attempt may be written behind the script. Guarded by the lock. */
		private boolean followed;

		SentRelease(String key, List<String> keys, String... args) {
			this.key = key;
			this.keys = keys;
			this.args = args;
		}

	}

}
