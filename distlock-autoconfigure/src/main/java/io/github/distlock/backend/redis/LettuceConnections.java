package io.github.distlock.backend.redis;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.thread.LockThreads;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.Timeout;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

/**
 * The dedicated connections of one store, made from the configuration of the
 * application's connection factory: lock commands do not queue behind slow commands of
 * the application, fail after a short time, and at once while there is no connection,
 * unless it has just broken. A command that was sent and not answered when the connection
 * broke may be sent a second time after a reconnect, by older drivers.
 * <p>
 * All threads send on one connection, which the first of them lets the driver make, and
 * which the driver reconnects. Commands that need it meanwhile wait for the same attempt,
 * for a limited time, and until the store is closed at the latest. No thread waits.
 * Thread-safe.
 */
final class LettuceConnections {

	/** A new connection is active when its event loop has run once. */
	private static final Duration PAUSE = Duration.ofMillis(20);

	private static final Duration PATIENCE_OF_CLOSE = Duration.ofSeconds(1);

	private final DedicatedClient client;

	/** The driver needs one time-out to connect and one to log in, and ends first. */
	private final Duration patience;

	private final ThreadFactory connectors = LockThreads.named("distlock-connect");

	/** Before the first connection. An attempt that fails leads back to this object. */
	private final Link unused = new Link(Phase.NONE, new CompletableFuture<>(), null);

	private final Link closed = new Link(Phase.CLOSED, CompletableFuture.failedFuture(StoreCalls.closed("Redis")),
			null);

	/**
	 * All that is known of the connection for commands. It changes by compare-and-set
	 * only, as {@link Phase} says: of two threads one is first, and the other changes
	 * nothing.
	 * <p>
	 * <b>Invariant.</b> If commands wait, a timer runs that ends their wait, and it was
	 * set before. The thread that leaves such a phase ends it first, after it has left: a
	 * command that is sent again then finds the next phase. All phases of an attempt are
	 * made before it begins, so no lack of memory keeps it from ending.
	 */
	private final AtomicReference<Link> link = new AtomicReference<>(this.unused);

	private volatile Runnable reconnected = () -> {
	};

	/** The last attempt of the driver to connect, or to disconnect: for the close. */
	private volatile CompletionStage<?> driver = CompletableFuture.completedFuture("none");

	/**
	 * Create connections to a server that is given by its configuration. Sends nothing
	 * yet.
	 * @param shareThreads whether to use the threads of the client, which are this
	 * library's and not the application's
	 */
	LettuceConnections(RedisConfiguration server, LettuceClientConfiguration client, boolean shareThreads,
			Duration commandTimeout, LockInstance self) {
		this.client = new DedicatedClient(server, client, shareThreads, commandTimeout, self);
		this.patience = commandTimeout.multipliedBy(2).plusMillis(100);
	}

	/**
	 * Before the first connection: call listeners, on a thread of the driver.
	 * @param listener is called whenever a connection breaks, with whether it was one for
	 * subscriptions
	 * @param reconnected is called when there is a connection for commands again after a
	 * break or a reset
	 */
	void onDisconnect(Consumer<Boolean> listener, Runnable reconnected) {
		this.reconnected = reconnected;
		this.client.getRequiredNativeClient().addListener(new RedisConnectionStateListener() {

			@Override
			public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
				if (connection.getClass() == StatefulRedisConnectionImpl.class) {
					repaired();
				}
			}

			@Override
			public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
				// First: no error of what follows hides the break.
				listener.accept(connection instanceof StatefulRedisPubSubConnection);
				// The driver makes no new one for those that were closed.
				if (connection.getClass() == StatefulRedisConnectionImpl.class && !connection.isClosed()) {
					broken();
				}
			}

		});
	}

	/** What makes connections for subscriptions. */
	RedisConnectionFactory factory() {
		return this.client;
	}

	/**
	 * Return the connection for commands, or a future of it, which ends in any case. Does
	 * not block.
	 */
	CompletableFuture<LettuceCommands> commands() {
		Link now = this.link.get();
		return (now.phase != Phase.NONE) ? now.commands : connect(now);
	}

	/**
	 * Begin an attempt, unless another thread was first. The driver may never answer, for
	 * example if the application's credentials are never there.
	 */
	private CompletableFuture<LettuceCommands> connect(Link none) {
		CompletableFuture<LettuceCommands> attempt = new CompletableFuture<>();
		Link opening = new Link(Phase.OPENING, attempt, null);
		Link stuck = new Link(Phase.STUCK, attempt, null);
		Link connecting = new Link(Phase.CONNECTING, attempt, null);
		BooleanSupplier returned = () -> go(opening, connecting) || go(stuck, none);
		Predicate<Throwable> failed = (failure) -> (go(opening, stuck) || go(connecting, none))
				&& attempt.completeExceptionally(failure);
		// Limited first: no error leaves an attempt that does not end.
		Timeout limit = after(this.patience, () -> failed.test(new TimeoutException()));
		attempt.whenComplete((made, failure) -> limit.cancel());
		if (!go(none, opening)) {
			limit.cancel();
			return commands();
		}
		try {
			this.driver = open(returned).thenCompose((made) -> connected(none, connecting, made))
				.handle((made, failure) -> failure != null && failed.test(StoreCalls.unwrap(failure)));
		}
		catch (Throwable ex) {
			failed.test(ex);
			returned.getAsBoolean();
		}
		return attempt;
	}

	/**
	 * Let the driver connect on a thread of its own, which may block.
	 * @param returned is called when it does not any more
	 */
	private CompletableFuture<LettuceCommands> open(BooleanSupplier returned) {
		return CompletableFuture.completedFuture(this.client)
			.thenApplyAsync(DedicatedClient::connect, (task) -> this.connectors.newThread(task).start())
			.whenComplete((promised, failure) -> returned.getAsBoolean())
			.thenCompose(Function.identity())
			.thenApply(LettuceCommands::new);
	}

	private CompletionStage<?> connected(Link none, Link connecting, LettuceCommands made) {
		if (!go(connecting, Link.connected(made))) {
			return made.close();
		}
		connecting.commands.complete(made);
		if (!made.isOpen()) {
			// The driver reported that before this connection was known here.
			broken();
		}
		if (none != this.unused) {
			this.reconnected.run();
		}
		return connecting.commands;
	}

	/** The connection broke, and the driver reconnects. */
	private void broken() {
		Link last = this.link.get();
		if (last.phase == Phase.CONNECTED) {
			Link waiting = new Link(Phase.RECONNECTING, new CompletableFuture<>(), last.connection);
			Link lost = new Link(Phase.LOST, last.commands, last.connection);
			after(this.patience.dividedBy(8), () -> {
				go(waiting, lost);
				waiting.commands.complete(last.connection);
			});
			// Last: after an error no command waits for what nothing would end.
			go(last, waiting);
		}
	}

	private void repaired() {
		Link last = this.link
			.getAndUpdate((now) -> now.isBroken() ? Link.connected(Objects.requireNonNull(now.connection)) : now);
		if (last.isBroken()) {
			last.commands.complete(last.connection);
			this.reconnected.run();
		}
	}

	/**
	 * Close the connection, if there is one, and let the next command open a new one.
	 * Does not block.
	 */
	void reset() {
		Link last = this.link
			.getAndUpdate((now) -> (now.connection != null) ? new Link(Phase.NONE, now.commands, null) : now);
		if (last.connection != null) {
			leave(last, new IllegalStateException("Connection closed"));
		}
	}

	/**
	 * Fail all commands that wait for an answer or for a connection, and all later ones.
	 * Does not block.
	 */
	void end() {
		leave(this.link.getAndSet(this.closed), StoreCalls.closed("Redis"));
	}

	private void leave(Link last, RuntimeException reason) {
		last.commands.completeExceptionally(reason);
		if (last.connection != null) {
			this.driver = last.connection.close();
		}
	}

	private boolean go(Link last, Link next) {
		return this.link.compareAndSet(last, next);
	}

	/**
	 * Send the command that a cluster driver sends while a slot moves. On a connection of
	 * its own, since it changes the meaning of the next command.
	 * @return completes with the error of the server, or with an empty text
	 */
	CompletableFuture<String> asking() {
		return limit(open(() -> true)
			.thenCompose((made) -> made.execute("ASKING").whenComplete((answer, failure) -> made.close()))
			.handle((answer, failure) -> (failure != null) ? "ASKING: " + StoreCalls.unwrap(failure).getMessage()
					: ""));
	}

	/**
	 * Send a command of a cluster again. The driver may hand out a new connection to a
	 * node a moment before it is active, and rejects what is written then: nothing was
	 * sent. Commands in a cluster have no order.
	 */
	<T extends @Nullable Object> CompletionStage<T> repeated(CompletionStage<T> answer,
			Supplier<CompletionStage<T>> command, int times) {
		return answer.exceptionallyCompose((failure) -> {
			if (times == 0 || !RedisServer.says(failure, "Currently not connected")) {
				return CompletableFuture.failedFuture(failure);
			}
			CompletableFuture<Boolean> later = new CompletableFuture<>();
			after(PAUSE, () -> later.complete(true));
			return repeated(later.thenCompose((passed) -> command.get()), command, times - 1);
		});
	}

	/** Let a stage fail after the time that a connection and a command need. */
	<T> CompletableFuture<T> limit(CompletableFuture<T> stage) {
		Timeout timeout = after(this.patience, () -> stage.completeExceptionally(new TimeoutException()));
		stage.whenComplete((result, failure) -> timeout.cancel());
		return stage;
	}

	/**
	 * Call an action later, on a thread on which the driver completes commands as well,
	 * not on that of its timer: what follows may send commands.
	 */
	private Timeout after(Duration time, Runnable action) {
		ClientResources resources = this.client.resources();
		return resources.timer()
			.newTimeout((timeout) -> resources.eventExecutorGroup().execute(action), time.toNanos(),
					TimeUnit.NANOSECONDS);
	}

	/**
	 * End, and shut the client down: if possible not while it connects or disconnects, of
	 * which it would warn.
	 */
	void close() {
		end();
		try {
			StoreCalls.awaitUninterruptibly(this.driver.toCompletableFuture(), PATIENCE_OF_CLOSE, TimeSource.SYSTEM);
		}
		catch (ExecutionException | TimeoutException ex) {
			// The client is shut down in any case.
		}
		this.client.destroy();
		// This ends no thread that the nodes of Redlock share.
		this.client.resources().shutdown(0, 0, TimeUnit.SECONDS);
	}

	/**
	 * The life of the connection for commands. {@link #CLOSED} may follow each of these.
	 */
	private enum Phase {

		/** There is none, and the next command lets the driver make one: OPENING. */
		NONE,

		/**
		 * A thread is inside the driver, which may wait for credentials, or for the
		 * topology of a cluster. Commands wait. When it returns, CONNECTING; if the
		 * attempt takes too long before, STUCK.
		 */
		OPENING,

		/**
		 * The thread is still inside the driver, and a second one would wait behind it.
		 * Commands fail. When it returns, NONE.
		 */
		STUCK,

		/**
		 * The driver has promised a connection. Commands wait. CONNECTED; or after a
		 * failure, or if that takes too long, NONE.
		 */
		CONNECTING,

		/** Commands are sent. After a break RECONNECTING, after a reset NONE. */
		CONNECTED,

		/**
		 * The connection has broken, and the driver reconnects. Commands wait. CONNECTED;
		 * LOST when a quarter of the command time-out has passed since the break; after a
		 * reset NONE.
		 */
		RECONNECTING,

		/**
		 * The same for longer. Commands are sent, so they fail at once. CONNECTED when
		 * the driver has reconnected; after a reset NONE.
		 */
		LOST,

		/** Commands fail. Nothing follows. */
		CLOSED

	}

	/**
	 * The connection for commands at one moment.
	 *
	 * @param phase what the next event finds
	 * @param commands what commands get: not completed while they wait; not used if NONE
	 * @param connection what a reset closes: there if CONNECTED, RECONNECTING or LOST
	 */
	private record Link(Phase phase, CompletableFuture<LettuceCommands> commands,
			@Nullable LettuceCommands connection) {

		static Link connected(LettuceCommands made) {
			return new Link(Phase.CONNECTED, CompletableFuture.completedFuture(made), made);
		}

		boolean isBroken() {
			return this.phase == Phase.RECONNECTING || this.phase == Phase.LOST;
		}

	}

}
