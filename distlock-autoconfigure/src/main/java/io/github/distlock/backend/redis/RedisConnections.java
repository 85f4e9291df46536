package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.InboxMessage.RefusedMessage;
import io.github.distlock.backend.redis.InboxMonitor.InboxState;
import io.github.distlock.backend.redis.ScriptExecutor.Answer;
import io.github.distlock.backend.redis.ScriptExecutor.Reply;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.ConnectionUtils;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The connections of one open store to Redis, with the inbox and the clock of the server.
 * Notices when a connection breaks or leads to another server.
 */
final class RedisConnections implements RedisInbox.Events {

	private static final Log logger = LogFactory.getLog(RedisConnections.class);

	/** Minimum interval between reconnects because the server has become a replica. */
	private static final long RECONNECT_NANOS = Duration.ofMillis(500).toNanos();

	private final RedisServer server;

	private final RedisBackendSettings settings;

	private final RedisKeys keys;

	private final TimeSource time;

	private final ServerClock clock = new ServerClock();

	/** The time of the last reconnect because the server had become a replica. */
	private final AtomicLong reconnectNanos = new AtomicLong();

	private final String instance;

	private final InboxSignals inboxSignals;

	/** The application's, or those of this store. */
	private final RedisConnectionFactory connections;

	private final boolean dedicated;

	private final RedisServerChecks checks;

	private final ScriptExecutor scripts;

	/** {@code null} if the connections keep no order. */
	private final @Nullable RedisReleases releases;

	private final RedisInbox inbox;

	private final InboxMonitor monitor;

	/** How often a dedicated connection broke: another server may answer then. */
	final AtomicInteger breaks = new AtomicInteger();

	private volatile @Nullable Boolean cluster;

	/** Whether the next command has to connect again, to find the master. */
	private final AtomicBoolean masterLost = new AtomicBoolean();

	private volatile boolean closed;

	/** Create the connections; they work after {@link #open()}. */
	RedisConnections(RedisConnectionFactory application, RedisBackendSettings settings, RedisKeys keys, TimeSource time,
			StoreContext context) {
		this.server = RedisServer.of(application);
		this.settings = settings;
		this.keys = keys;
		this.time = time;
		this.instance = context.instance();
		LockSignals signals = context.signals();
		this.inboxSignals = new InboxSignals(this.instance, keys, signals, time, this.clock);
		RedisConnectionFactory own = (settings.dedicatedConnection() && ConnectionUtils.isLettuce(application))
				? LettuceConnections.dedicated(application, settings.commandTimeout(), context.self()) : null;
		this.dedicated = own != null;
		this.connections = (own != null) ? own : application;
		this.cluster = (own != null) ? RedisServer.isCluster(own) : null;
		this.checks = new RedisServerChecks(this.server, keys, this.connections);
		this.scripts = new ScriptExecutor(this.server, this.connections, this.time, this::failed);
		this.releases = (own == null || isCluster()) ? null
				: new RedisReleases(own, time, settings.commandTimeout(), (key, cause) -> {
					failed(cause);
					return this.server.failed("release", key, cause);
				});
		String channel = this.keys.inboxPrefix() + this.instance;
		InboxServer inboxServer = new InboxServer(this, channel, this.checks, signals);
		this.inbox = new RedisInbox(this.connections, channel, this, inboxServer::explain);
		this.monitor = new InboxMonitor(this.inbox, inboxServer, this.time, settings.commandTimeout(),
				LockThreads.named("distlock-inbox-probe"));
	}

	void open() {
		try {
			if (this.dedicated) {
				LettuceConnections.listen(this.connections, this::disconnected);
			}
			this.inbox.start(LockThreads.named("distlock-inbox"));
		}
		catch (Throwable ex) {
			// No part of a store that was not opened may go on.
			close();
			throw ex;
		}
	}

	void close() {
		if (this.closed) {
			return;
		}
		this.closed = true;
		this.monitor.stop();
		this.inbox.stop(this.dedicated);
		if (this.dedicated) {
			LettuceConnections.close(this.connections);
		}
	}

	/** Run a script that answers a kind and numbers. */
	Answer<Reply> ask(RedisScript<String> script, String what, Ticket ticket, String... args) {
		Answer<byte[]> answer = scripts().run(script, what, ticket.key(), this.keys.of(ticket), args);
		return new Answer<>(Reply.parse(answer.value()), answer.sent(), answer.repeated());
	}

	/** What sends releases in the order of commands, if the connections keep it. */
	@Nullable RedisReleases releases() {
		return this.releases;
	}

	/** Publish a message to the inbox of the JVM of a ticket. */
	void publish(String what, Ticket ticket, RefusedMessage message) {
		byte[] channel = (this.keys.inboxPrefix() + ticket.instance()).getBytes(StandardCharsets.UTF_8);
		send(what, ticket.key(),
				(connection) -> connection.publish(channel, message.text().getBytes(StandardCharsets.UTF_8)));
	}

	/** Send a command that is no script. */
	<T> Answer<T> send(String what, String key, Function<RedisConnection, T> command) {
		return scripts().send(what, key, command);
	}

	/** Run a script that answers a list. */
	@SuppressWarnings("rawtypes")
	Answer<List<Long>> run(RedisScript<List> script, String what, @Nullable String key, List<String> names,
			String... args) {
		return scripts().run(script, what, key, names, args);
	}

	/** Look at a lock, and change nothing. */
	List<?> inspect(String what, @Nullable String key, List<String> names) {
		return scripts().<List<?>>run(Scripts.INSPECT, what, key, names).value();
	}

	/** Whether messages arrive, as far as is known. Sends nothing. */
	boolean isSubscribed() {
		return !this.closed && this.inbox.isConfirmed();
	}

	/** Renew by one script. */
	List<RenewalResult> renew(RenewalScript script) {
		try {
			Answer<List<Long>> answer = run(script.script(), "renewal", null, script.names(), script.args());
			return script.answered(answer.value(), answer.sent());
		}
		catch (LockBackendException ex) {
			return script.unknown(ex);
		}
	}

	RedisServer server() {
		return this.server;
	}

	ServerClock clock() {
		return this.clock;
	}

	String lockName(String key) {
		return this.keys.lock(key);
	}

	/**
	 * Run an action with the masters of the cluster, or with {@code null} if the driver
	 * cannot send scripts to them in parallel.
	 */
	void onCluster(Consumer<ClusterRenewals.@Nullable ClusterScripts> action) {
		requireOpen();
		if (!ConnectionUtils.isLettuce(this.connections)) {
			action.accept(null);
			return;
		}
		try (RedisConnection connection = this.connections.getConnection()) {
			action.accept(ClusterRenewals.ClusterScripts.on(connection));
		}
	}

	/**
	 * Check that the server can be reached and that its user has all rights that locks
	 * need.
	 * @throws LockBackendException if not
	 */
	void verify() {
		String inbox = this.keys.inboxPrefix() + this.instance;
		this.checks.checkRights(scripts().runText(Scripts.RIGHTS, this.checks,
				this.keys.lockQueueAndReaders("rights-" + this.instance), inbox, RedisInbox.PROBE));
		try {
			probe(RedisInbox.PROBE);
		}
		catch (LockBackendException ex) {
			throw this.checks.explainRefusal(ex, "EVALSHA");
		}
		try {
			this.inbox.awaitConfirmation(this.settings.commandTimeout());
		}
		catch (RuntimeException ex) {
			if (NestedExceptionUtils.getMostSpecificCause(ex) instanceof UnsupportedOperationException) {
				// A static master with replicas sends no messages: callers ask instead.
				return;
			}
			RuntimeException reason = this.checks.explainRefusal(ex, "SUBSCRIBE");
			throw (reason instanceof LockBackendException) ? reason
					: this.server.failed("subscription to the inbox", null, ex);
		}
	}

	/**
	 * Let a script publish to the inbox of this JVM, and observe the server's time.
	 * @return the number of receivers
	 */
	long probe(String text) {
		Answer<List<Long>> answer = run(Scripts.PROBE, "probe", null, List.of(),
				this.keys.inboxPrefix() + this.instance, text);
		this.clock.observe(answer.sent(), answer.value().get(1));
		return answer.value().get(0);
	}

	/** Return what a ticket that is queued now can rely on. */
	InboxState inboxState() {
		return this.closed ? InboxState.UNSUBSCRIBED : this.monitor.state();
	}

	boolean isCluster() {
		Boolean cached = this.cluster;
		if (cached == null) {
			requireOpen();
			try (RedisConnection connection = this.connections.getConnection()) {
				cached = connection instanceof RedisClusterConnection;
			}
			this.cluster = cached;
		}
		return cached;
	}

	private ScriptExecutor scripts() {
		requireOpen();
		return this.scripts;
	}

	/** Called on a thread that may wait, before it sends a command. */
	void requireOpen() {
		if (this.closed) {
			throw StoreCalls.closed("Redis");
		}
		if (this.masterLost.get() && this.masterLost.compareAndSet(true, false)) {
			LettuceConnections.reset(this.connections);
		}
	}

	/** A dedicated connection broke; the driver reconnects, and subscribes again. */
	private void disconnected(boolean inbox) {
		this.breaks.incrementAndGet();
		this.clock.forget();
		if (this.releases != null) {
			this.releases.disconnected();
		}
		if (!this.closed) {
			if (inbox) {
				this.monitor.interrupted();
			}
			else {
				this.monitor.serverChanged();
			}
		}
	}

	/**
	 * A command failed. What was known of the server may no longer be true; and a server
	 * that has become a replica keeps its connections, so this JVM must reconnect to find
	 * the master. The next command does that: a thread of the driver must not wait.
	 */
	private void failed(Throwable failure) {
		this.clock.forget();
		if (this.closed || !this.dedicated || !ScriptExecutor.says(failure, "READONLY") || isCluster()) {
			return;
		}
		long now = this.time.nanoTime();
		long last = this.reconnectNanos.get();
		if (now - last > RECONNECT_NANOS && this.reconnectNanos.compareAndSet(last, now)) {
			logger.warn("The Redis server has become a replica: connecting again to find the master");
			this.masterLost.set(true);
			this.monitor.serverChanged();
		}
	}

	@Override
	public void interrupted() {
		if (!this.closed) {
			this.monitor.interrupted();
		}
	}

	@Override
	public void subscribed() {
		this.clock.forget();
		if (!this.closed) {
			this.monitor.subscribed();
		}
	}

	@Override
	public void probed(String text) {
		if (!this.closed) {
			this.monitor.heard(text);
		}
	}

	@Override
	public void received(InboxMessage message) {
		if (!this.closed) {
			// Each master of a cluster has its own clock: one baseline is not sufficient.
			this.inboxSignals.signal(message, Boolean.FALSE.equals(this.cluster) && !this.monitor.isDoubtful());
		}
	}

}
