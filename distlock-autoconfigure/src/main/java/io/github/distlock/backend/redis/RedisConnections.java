package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisServer.FailureKind;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The connections of one open store to Redis, with the inbox and the clock of the server.
 * Notices when a connection breaks or leads to another server. Thread-safe.
 */
final class RedisConnections {

	private static final Log logger = LockLog.of(RedisConnections.class);

	/** Minimum interval between reconnects because the server has become a replica. */
	private static final long RECONNECT_NANOS = Duration.ofMillis(500).toNanos();

	/** After a few of these a connection is broken, not new. */
	private static final int REPETITIONS = 5;

	/** Minimum interval between warnings of that. */
	private static final long WARN_NANOS = Duration.ofMinutes(1).toNanos();

	private final RedisConnectionFactory application;

	/** Replaced only if the application's connections are shared. */
	private volatile RedisServer server;

	/** Whether the application was found to use another server. */
	private boolean left;

	private final boolean cluster;

	private final TimeSource time;

	/**
	 * For a thread that waits: longer than the limits of a wait for a reconnect, of a
	 * connect, and of a script that is sent twice take together.
	 */
	private final Duration patience;

	private final ServerClock clock = new ServerClock();

	/** {@code null} if the application's connections are shared. */
	private final @Nullable LettuceConnections dedicated;

	/** Completed. */
	private final CompletableFuture<BlockingCommands> shared;

	private final InboxMonitor monitor;

	private final RedisInbox inbox;

	/** How often a dedicated connection broke: another server may answer then. */
	private final AtomicInteger breaks = new AtomicInteger();

	/** The time of the last reconnect because the server had become a replica. */
	private final AtomicLong reconnectNanos = new AtomicLong();

	/** The time of the last warning of that. */
	private volatile long warnedNanos;

	private volatile boolean closed;

	/** Create the connections. */
	RedisConnections(RedisConnectionFactory application, RedisBackendSettings settings, RedisKeys keys, TimeSource time,
			StoreContext context) {
		ApplicationConnections source = ApplicationConnections.of(application);
		this.application = application;
		this.server = RedisServer.of(source);
		this.cluster = source.isCluster();
		this.time = time;
		this.warnedNanos = time.nanoTime() - WARN_NANOS;
		this.patience = settings.commandTimeout().multipliedBy(5).plusSeconds(1);
		this.shared = CompletableFuture.completedFuture(new BlockingCommands(application));
		boolean copied = settings.dedicatedConnection() && source.server() != null;
		this.dedicated = (copied && source.factory() instanceof LettuceConnectionFactory lettuce)
				? new LettuceConnections(Objects.requireNonNull(source.server()), lettuce.getClientConfiguration(),
						false, settings.commandTimeout(), context.self())
				: null;
		if (settings.dedicatedConnection() && this.dedicated == null) {
			logger.warn("Lock commands share the application's connections to " + this.server.name()
					+ ": its slow commands"
					+ " delay renewals, and locks can be lost. Define a LettuceConnectionFactory @Bean(defaultCandidate = false)"
					+ " and name it in distlock.redis.connection-factory, or set distlock.redis.dedicated-connection=false");
		}
		this.monitor = new InboxMonitor((this.dedicated != null) ? this.dedicated.factory() : application, this, keys,
				context, time, settings.commandTimeout());
		this.inbox = this.monitor.inbox();
		if (this.dedicated != null) {
			this.dedicated.onDisconnect(this::disconnected, context.signals()::renewAll);
		}
	}

	/**
	 * Compare the server with the one to which the application's connection factory leads
	 * now: that may be a new bean after a refresh, or may have been configured anew.
	 */
	void compare() {
		ApplicationConnections source = ApplicationConnections.of(this.application);
		RedisServer now = RedisServer.of(source);
		if (!this.left && source.server() != null && !now.equals(this.server)) {
			this.left = this.dedicated != null;
			logger.error("The connection factory of the application leads to " + now.name() + " now, and this JVM "
					+ (this.left ? "keeps" : "loses") + " its locks in " + this.server.name()
					+ ". JVMs with locks in different servers do not exclude each other: restart all of them");
			this.server = this.left ? this.server : now;
		}
	}

	void open() {
		this.inbox.start();
	}

	void close() {
		if (this.closed) {
			return;
		}
		this.closed = true;
		if (this.dedicated != null) {
			// First, since the inbox may wait for a connection. It has the last one.
			this.dedicated.end();
			this.inbox.stop(this.dedicated::close);
		}
		else {
			this.inbox.stop(() -> {
			});
		}
	}

	RedisServer server() {
		return this.server;
	}

	ServerClock clock() {
		return this.clock;
	}

	boolean isCluster() {
		return this.cluster;
	}

	/** How often the connection has broken: each time, another server may answer next. */
	int breaks() {
		return this.breaks.get();
	}

	/**
	 * Whether commands are executed in the order in which they are sent, and are sent
	 * without waiting: on one connection that redirects nothing.
	 */
	boolean keepsOrder() {
		return this.dedicated != null && !this.cluster;
	}

	InboxMonitor inbox() {
		return this.monitor;
	}

	/** Whether a command blocks the thread that sends it. */
	boolean blocks() {
		return this.dedicated == null;
	}

	/**
	 * Send a command, at once or when there is a connection. The stage ends after the
	 * time-outs of the driver at the latest, and fails with an exception for the caller.
	 * @param action the verb, for the message
	 */
	<T extends @Nullable Object> CompletionStage<T> send(String action, @Nullable String key,
			Function<RedisCommands, CompletionStage<T>> command) {
		CompletableFuture<? extends RedisCommands> open = (this.dedicated != null) ? this.dedicated.commands()
				: this.shared;
		CompletableFuture<? extends RedisCommands> commands = this.closed
				? CompletableFuture.failedFuture(StoreCalls.closed("Redis")) : open;
		boolean connected = commands.isDone() && !commands.isCompletedExceptionally();
		CompletionStage<T> answer;
		try {
			// No stage for a connection that is there: a new JVM has to compile its code.
			answer = connected ? command.apply(commands.join()) : commands.thenCompose(command);
		}
		catch (Throwable ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		if (this.dedicated != null && this.cluster) {
			answer = this.dedicated.repeated(answer, () -> commands.thenCompose(command), REPETITIONS);
		}
		return answer.exceptionally((failure) -> {
			throw failed(action, key, StoreCalls.unwrap(failure));
		});
	}

	/** Complete with what the server refuses that only a cluster needs, or a text. */
	CompletableFuture<String> asking() {
		return (this.dedicated != null && this.cluster) ? this.dedicated.asking()
				: CompletableFuture.completedFuture("");
	}

	/** Let a stage that dedicated connections complete end in any case. */
	<T> CompletableFuture<T> limit(CompletableFuture<T> stage) {
		return Objects.requireNonNull(this.dedicated).limit(stage);
	}

	/** Wait for a stage. */
	<T extends @Nullable Object> T await(String action, @Nullable String key, CompletionStage<T> answer) {
		try {
			return StoreCalls.awaitUninterruptibly(answer.toCompletableFuture(), this.patience, this.time);
		}
		catch (ExecutionException | TimeoutException ex) {
			throw failed(action, key, StoreCalls.unwrap(ex));
		}
	}

	/** Send a command, and wait for the answer. */
	<T extends @Nullable Object> T call(String action, @Nullable String key,
			Function<RedisCommands, CompletionStage<T>> command) {
		return await(action, key, send(action, key, command));
	}

	/** Send a command, and wait for its text, which is empty if there is none. */
	String ask(String action, String command, byte[]... args) {
		String answer = call(action, null, (commands) -> commands.execute(command, args));
		return (answer != null) ? answer : "";
	}

	/**
	 * A command failed. What was known of the server may no longer be true; and a server
	 * that has become a replica keeps its connections, so this JVM must reconnect to find
	 * the master. Does not block.
	 * @return what to tell the caller
	 */
	private LockBackendException failed(String action, @Nullable String key, Throwable failure) {
		if (failure instanceof LockBackendException explained) {
			return explained;
		}
		this.clock.forget();
		if (!this.closed && this.dedicated != null && !this.cluster && RedisServer.says(failure, "READONLY")) {
			long now = this.time.nanoTime();
			long last = this.reconnectNanos.get();
			if (now - last > RECONNECT_NANOS && this.reconnectNanos.compareAndSet(last, now)) {
				if (now - this.warnedNanos >= WARN_NANOS) {
					this.warnedNanos = now;
					logger.warn(this.server.name() + " has become a replica: connecting again to find the master");
				}
				this.dedicated.reset();
				this.monitor.serverChanged();
			}
		}
		List<String> blocked = (this.dedicated == null && FailureKind.TIMEOUT.isIn(failure)) ? blockedEventLoops()
				: List.of();
		String reason = blocked.isEmpty() ? this.server.explain(failure)
				: "Code of the application blocks " + blocked + ", which have to read the answers of "
						+ this.server.name() + ". Let that code run on other threads, or give the locks threads of"
						+ " their own with distlock.redis.dedicated-connection=true";
		return new LockBackendException(
				reason + ". The " + action + ((key != null) ? " for lock '" + key + "'" : "") + " failed", failure);
	}

	/** The event loops of the application's Lettuce that wait for something else. */
	private static List<String> blockedEventLoops() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().matches("lettuce-.*EventLoop.*")
					&& thread.getState() != Thread.State.RUNNABLE)
			.map(Thread::getName)
			.sorted()
			.toList();
	}

	/** A dedicated connection broke; the driver reconnects, and subscribes again. */
	private void disconnected(boolean ofInbox) {
		this.breaks.incrementAndGet();
		this.clock.forget();
		if (this.closed) {
			return;
		}
		if (ofInbox) {
			this.inbox.broken();
		}
		else {
			this.monitor.serverChanged();
		}
	}

}
