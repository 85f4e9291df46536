package io.github.distlock.torture.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockListener;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackend;
import io.github.distlock.backend.jdbc.JdbcBackendSettings;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.backend.zookeeper.ZooKeeperBackendSettings;
import io.github.distlock.backend.zookeeper.ZooKeeperLockBackend;
import io.github.distlock.engine.HandOffLimits;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.registry.RegistrySnapshot;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.testing.ZooKeeperTestServer;
import io.github.distlock.torture.check.Checker;
import io.github.distlock.torture.check.HistoryWriter;
import io.github.distlock.torture.check.Kind;
import org.apache.curator.framework.CuratorFramework;

/**
 * A JVM whose threads contend for locks until it is asked to stop, is killed, or its
 * standard input is closed.
 */
public final class TortureWorker {

	/**
	 * The longest lease of a dead holder, and after it a section of each waiting caller,
	 * some of which overrun their lease. On a busy machine each takes longer.
	 */
	private static final Duration LAST_SECTION = Duration.ofSeconds(45);

	private static final Duration LAST_COMMAND = Duration.ofSeconds(20);

	private static final String PREFIX = "distlock:";

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

	private final WorkerSettings settings;

	private final HistoryWriter history;

	private final BackendLockRegistry registry;

	private final Map<Thread, Contender> contenders = new ConcurrentHashMap<>();

	private TortureWorker(WorkerSettings settings) throws IOException {
		this.settings = settings;
		this.history = new HistoryWriter(settings.history());
		// Some of the workers have the default length of a turn, and the token block of
		// the default. The others hand off longer sections, too.
		boolean byDefault = settings.number() % 2 == 0;
		Duration turn = byDefault ? RedisNodes.HAND_OFF.maxTime() : Duration.ofMillis(50);
		int tokens = (byDefault ? RedisNodes.HAND_OFF.budget() : Checker.HAND_OFF_BUDGET) + 1;
		Duration lease = Duration.ofMillis(settings.load().leaseMillis());
		LockBackend store = open(settings.storePort(), tokens, lease);
		this.registry = new BackendLockRegistry(store,
				TestSettings.releasing(RedisNodes.settings(lease, new HandOffLimits(Checker.HAND_OFF_BUDGET, turn)),
						ReleaseMode
							.valueOf(System.getProperty("torture.release", "confirmed").toUpperCase(Locale.ROOT))),
				List.of(new Recorder()), TimeSource.SYSTEM);
	}

	public static void main(String[] args) throws IOException {
		TortureWorker worker = new TortureWorker(WorkerSettings.parse(args));
		new Thread(worker::work, "work").start();
		try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
			for (String line; (line = in.readLine()) != null;) {
				if (line.equals("stop")) {
					new Thread(worker::stop, "stop").start();
				}
			}
		}
		catch (IOException ex) {
			// The launcher has ended.
		}
		Runtime.getRuntime().halt(0);
	}

	private void work() {
		this.registry.start();
		PrintStream out = System.out;
		for (int i = 0; i < this.settings.load().threads(); i++) {
			Contender contender = new Contender(i, this.registry, this.settings, this.history, out);
			Thread thread = new Thread(contender, "contender-" + i);
			this.contenders.put(thread, contender);
		}
		this.contenders.keySet().forEach(Thread::start);
		out.println("@ready");
		interrupt();
	}

	/** Interrupt calls for locks and releases, but never a critical section. */
	private void interrupt() {
		int mean = this.settings.load().interrupts();
		Random random = new Random(this.settings.seed());
		List<Thread> threads = new ArrayList<>(this.contenders.keySet());
		while (mean > 0) {
			LockSupport.parkNanos(Duration.ofMillis(random.nextInt(2 * mean) + 1).toNanos());
			Thread thread = threads.get(random.nextInt(threads.size()));
			Contender contender = this.contenders.get(thread);
			if (contender != null && (contender.phase == Phase.ACQUIRING || contender.phase == Phase.RELEASING)) {
				thread.interrupt();
			}
		}
	}

	private void stop() {
		this.contenders.values().forEach(Contender::stop);
		long end = System.nanoTime() + LAST_SECTION.toNanos();
		long alive;
		while ((alive = this.contenders.keySet().stream().filter(Thread::isAlive).count()) > 0
				&& System.nanoTime() < end) {
			LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
		}
		long idleEnd = System.nanoTime() + LAST_COMMAND.toNanos();
		RegistrySnapshot last;
		// One snapshot decides: after it, a late message can still be answered.
		while (!(last = this.registry.snapshot()).isIdle() && System.nanoTime() < idleEnd) {
			LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
		}
		this.history.write(Kind.IDLE, "idle", last.isIdle(), "threads", alive, "leases", last.watchedLeases(), "keys",
				last.keys());
		this.registry.shutdown();
		Runtime.getRuntime().halt(0);
	}

	/** Open the store that {@code -Dtorture.store} names. */
	private static LockBackend open(int port, int tokens, Duration lease) {
		return switch (System.getProperty("torture.store", "redis")) {
			case "redis" -> redis(port, tokens);
			case "postgresql" -> postgresql(port, tokens, true);
			case "postgresql-connection" -> postgresql(port, tokens, false);
			default -> zookeeper(port, tokens, lease);
		};
	}

	private static LockBackend redis(int port, int tokens) {
		return new RedisLockBackend(RedisTestServer.connectionFactory(port),
				new RedisBackendSettings(PREFIX, COMMAND_TIMEOUT, true, tokens), TimeSource.SYSTEM);
	}

	private static LockBackend postgresql(int port, int tokens, boolean lease) {
		HikariDataSource application = new HikariDataSource();
		application.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + port + "/postgres");
		application.setUsername("postgres");
		application.setPassword("");
		application.setMaximumPoolSize(2);
		JdbcBackendSettings settings = new JdbcBackendSettings(PREFIX, COMMAND_TIMEOUT, Duration.ofMillis(100), tokens,
				3, 20, true, TableNames.DEFAULT, "");
		return lease ? JdbcBackend.lease(application, settings, TimeSource.SYSTEM)
				: JdbcBackend.connection(application, settings, TimeSource.SYSTEM);
	}

	/** Locks last as long as the session, which takes the place of the lease. */
	private static LockBackend zookeeper(int port, int tokens, Duration session) {
		CuratorFramework client = ZooKeeperTestServer.client("127.0.0.1:" + port, session);
		client.start();
		int most = Math.min(tokens, ZooKeeperBackendSettings.MOST_TOKENS_PER_GRANT);
		return new ZooKeeperLockBackend(client, new ZooKeeperBackendSettings("/distlock", COMMAND_TIMEOUT, most),
				TimeSource.SYSTEM);
	}

	/** Records the events of the library. */
	private final class Recorder implements LockListener {

		@Override
		public void onWaiting(Waiting event) {
			Contender contender = TortureWorker.this.contenders.get(Thread.currentThread());
			if (contender != null) {
				contender.waiting();
			}
		}

		@Override
		public void onLost(Lost event) {
			TortureWorker.this.history.write(Kind.LOST, "key", event.key(), "token", event.fencingToken(), "reason",
					event.reason(), "cause", event.lossCause());
		}

	}

}
