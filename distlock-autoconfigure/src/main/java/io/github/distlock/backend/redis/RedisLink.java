package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.redis.RedisInbox.GrantMessage;
import io.github.distlock.backend.redis.ScriptRunner.Answer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ConnectionUtils;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * This JVM's link with Redis: the connections, the inbox, and what is known at each
 * moment about both.
 */
final class RedisLink implements RedisInbox.Events {

	private static final Log logger = LogFactory.getLog(RedisLink.class);

	private final RedisConnectionFactory application;

	private final RedisBackendSettings settings;

	private final RedisKeys keys;

	private final TimeSource time;

	private final ServerClock clock = new ServerClock();

	/** Counts subscriptions: what a probe found holds for its own only. */
	private final AtomicInteger subscription = new AtomicInteger();

	/** Whether a script's publish to our inbox was counted on this subscription. */
	private volatile boolean counted;

	private volatile @Nullable Open open;

	private volatile @Nullable Boolean cluster;

	RedisLink(RedisConnectionFactory application, RedisBackendSettings settings, RedisKeys keys, TimeSource time) {
		this.application = application;
		this.settings = settings;
		this.keys = keys;
		this.time = time;
	}

	void open(String instance, LockSignals signals) {
		boolean dedicated = this.settings.dedicatedConnection() && ConnectionUtils.isLettuce(this.application);
		RedisConnectionFactory connections = dedicated
				? LettuceConnections.dedicated(this.application, this.settings.commandTimeout()) : this.application;
		ScriptRunner runner = new ScriptRunner(new StringRedisTemplate(connections), this.time, this.clock::forget);
		RedisInbox inbox = new RedisInbox(connections, this.keys.inboxPrefix() + instance, this);
		this.open = new Open(instance, signals, connections, dedicated, runner, inbox);
		if (dedicated) {
			LettuceConnections.listen(connections, this::disconnected);
		}
		inbox.start();
	}

	void close() {
		Open current = this.open;
		this.open = null;
		if (current != null) {
			current.inbox().stop();
			if (current.dedicated()) {
				LettuceConnections.close(current.connections());
			}
		}
	}

	@SuppressWarnings({ "unchecked", "rawtypes" })
	Answer<List<Long>> run(RedisScript<List> script, String what, @Nullable String key, List<String> names,
			Object... args) {
		return (Answer) required().runner().run(script, what, key, names, args);
	}

	Answer<Long> run(RedisScript<Long> script, String what, String key, List<String> names, String... args) {
		return required().runner().run(script, what, key, names, (Object[]) args);
	}

	/**
	 * Let a script publish to our own inbox, and learn the server's time.
	 * @return how many heard it
	 */
	long probe() {
		Answer<List<Long>> answer = run(Scripts.PROBE, "probe", null, List.of(),
				this.keys.inboxPrefix() + required().instance(), RedisInbox.PROBE);
		this.clock.observe(answer.sent(), answer.value().get(1));
		return answer.value().get(0);
	}

	ServerClock clock() {
		return this.clock;
	}

	/** What a ticket that is queued now may rely on. */
	Hearing hearing() {
		Open current = this.open;
		if (current == null || !current.inbox().isConfirmed()) {
			return Hearing.NOT;
		}
		return this.counted ? Hearing.COUNTED : Hearing.UNCOUNTED;
	}

	boolean isCluster() {
		Boolean known = this.cluster;
		if (known == null) {
			RedisConnection connection = required().connections().getConnection();
			try {
				known = connection instanceof RedisClusterConnection;
			}
			finally {
				connection.close();
			}
			this.cluster = known;
		}
		return known;
	}

	private Open required() {
		Open current = this.open;
		if (current == null) {
			throw new LockBackendException("The Redis lock store is not running: it works from the start of the"
					+ " application context until its shutdown");
		}
		return current;
	}

	/**
	 * A connection of ours broke; the driver makes it anew, and subscribes again.
	 */
	private void disconnected(boolean inbox) {
		this.clock.forget();
		Open current = this.open;
		if (inbox && current != null) {
			this.counted = false;
			current.inbox().interrupted();
		}
	}

	@Override
	public void subscribed() {
		this.clock.forget();
		this.counted = false;
		int number = this.subscription.incrementAndGet();
		// Not on the driver's thread: it would wait for itself.
		Thread thread = new Thread(() -> examine(number), "distlock-inbox-probe");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * In a cluster a publish is counted on one node only, so the count says nothing
	 * there.
	 */
	private void examine(int number) {
		Open current = this.open;
		try {
			boolean found = probe() == 1 && !isCluster();
			if (number == this.subscription.get()) {
				this.counted = found;
			}
		}
		catch (RuntimeException ex) {
			if (current != null && current == this.open) {
				logger.warn("Cannot publish to the inbox of this JVM: waiting for locks is slower. " + ex.getMessage());
			}
		}
		if (current != null) {
			current.signals().lookAgainAll();
		}
	}

	@Override
	public void granted(GrantMessage message) {
		Open current = this.open;
		int separator = message.token().lastIndexOf(':');
		if (current == null || separator < 0) {
			return;
		}
		Ticket ticket = new Ticket(this.keys.keyOf(message.lock()), LockMode.EXCLUSIVE,
				message.token().substring(0, separator), Long.parseLong(message.token().substring(separator + 1)));
		TimeSource.Instant now = this.time.now();
		Validity validity = this.clock.judge(message.grantedMicros(), Duration.ofMillis(message.ttlMillis()), now);
		// What cannot be judged counts as passed: the ticket will ask.
		current.signals()
			.granted(ticket, new Grant(message.first(), message.last(),
					(validity != null) ? validity : Validity.until(now, Duration.ZERO)));
	}

	/**
	 * Whether this JVM hears of grants.
	 */
	enum Hearing {

		/** No subscription. */
		NOT,

		/** Subscribed, but nobody can count us. */
		UNCOUNTED,

		/** Subscribed, and a publish that counts 0 means that we are dead. */
		COUNTED

	}

	private record Open(String instance, LockSignals signals, RedisConnectionFactory connections, boolean dedicated,
			ScriptRunner runner, RedisInbox inbox) {
	}

}
