package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

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
import org.springframework.data.redis.core.script.RedisScript;

/**
 * This JVM's link with Redis: the connections, the inbox, and what is known at each
 * moment about both.
 */
final class RedisLink implements RedisInbox.Events {

	private static final Log logger = LogFactory.getLog(RedisLink.class);

	/** How long a counted inbox is believed to be heard, while anybody waits. */
	private static final long EXAMINATION_NANOS = Duration.ofSeconds(10).toNanos();

	private final RedisConnectionFactory application;

	private final RedisBackendSettings settings;

	private final RedisKeys keys;

	private final TimeSource time;

	private final ServerClock clock = new ServerClock();

	/** Counts subscriptions: what a probe found holds for its own only. */
	private final AtomicInteger subscription = new AtomicInteger();

	/** When the inbox was examined last. */
	private final AtomicLong examinedNanos = new AtomicLong();

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
		RedisConnectionFactory ours = (this.settings.dedicatedConnection()
				&& ConnectionUtils.isLettuce(this.application))
						? LettuceConnections.dedicated(this.application, this.settings.commandTimeout()) : null;
		RedisConnectionFactory connections = (ours != null) ? ours : this.application;
		ScriptRunner runner = new ScriptRunner(new ScriptSender(connections), this.time, this.clock::forget);
		RedisInbox inbox = new RedisInbox(connections, this.keys.inboxPrefix() + instance, this);
		this.open = new Open(instance, signals, connections, ours != null, runner, inbox);
		if (ours != null) {
			LettuceConnections.listen(ours, this::disconnected);
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

	/** Run a script that answers a word and numbers. */
	Answer<Reply> ask(RedisScript<String> script, String what, String key, String... args) {
		Answer<byte[]> answer = required().runner().run(script, what, key, this.keys.lockAndQueue(key), args);
		String text = new String(answer.value(), StandardCharsets.ISO_8859_1);
		return new Answer<>(Reply.parse(text), answer.sent(), answer.repeated());
	}

	/** Run a script that answers a list. */
	@SuppressWarnings("rawtypes")
	Answer<List<Long>> run(RedisScript<List> script, String what, @Nullable String key, List<String> names,
			String... args) {
		return required().runner().run(script, what, key, names, args);
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
		if (!this.counted) {
			return Hearing.UNCOUNTED;
		}
		long now = this.time.nanoTime();
		long examined = this.examinedNanos.get();
		if (now - examined > EXAMINATION_NANOS && this.examinedNanos.compareAndSet(examined, now)) {
			// A half-open connection hears nothing and tells nothing: without asking
			// the server now and then, every grant would take us for dead.
			examineLater(this.subscription.get(), false);
		}
		return Hearing.COUNTED;
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
		this.examinedNanos.set(this.time.nanoTime());
		examineLater(this.subscription.incrementAndGet(), true);
	}

	private void examineLater(int number, boolean fresh) {
		// Not on the driver's thread, which would wait for itself, nor on a caller's.
		Thread thread = new Thread(() -> examine(number, fresh), "distlock-inbox-probe");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * In a cluster a publish is counted on one node only, so the count says nothing
	 * there.
	 */
	private void examine(int number, boolean fresh) {
		Open current = this.open;
		try {
			boolean standalone = !isCluster();
			long heard = probe();
			if (current != null && number == this.subscription.get()) {
				if (heard == 0 && standalone && this.counted) {
					this.counted = false;
					current.inbox().renew();
				}
				else {
					this.counted = heard == 1 && standalone;
				}
			}
		}
		catch (RuntimeException ex) {
			if (current != null && current == this.open) {
				logger.warn("Cannot publish to the inbox of this JVM: waiting for locks is slower. " + ex.getMessage());
			}
		}
		if (fresh && current != null) {
			current.signals().lookAgainAll();
		}
	}

	@Override
	public void granted(GrantMessage message) {
		Open current = this.open;
		if (current == null) {
			return;
		}
		Ticket ticket = Ticket.of(this.keys.keyOf(message.lock()), LockMode.EXCLUSIVE, message.token());
		TimeSource.Instant now = this.time.now();
		// The masters of a cluster have a clock each, and one baseline cannot judge them.
		Validity validity = Boolean.FALSE.equals(this.cluster)
				? this.clock.judge(message.grantedMicros(), Duration.ofMillis(message.ttlMillis()), now) : null;
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
