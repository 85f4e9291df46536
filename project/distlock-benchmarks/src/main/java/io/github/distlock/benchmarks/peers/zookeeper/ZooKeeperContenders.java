package io.github.distlock.benchmarks.peers.zookeeper;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.github.distlock.benchmarks.contenders.Client;
import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.contenders.Held;
import io.github.distlock.benchmarks.contenders.JdkLocks;
import io.github.distlock.benchmarks.contenders.Locks;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.jspecify.annotations.Nullable;

import org.springframework.integration.zookeeper.lock.ZookeeperLockRegistry;

/**
 * Locks of other libraries in ZooKeeper. All of them keep the order of arrival.
 */
public final class ZooKeeperContenders {

	private static final Set<Kind> ZOOKEEPER = EnumSet.of(Kind.ZOOKEEPER);

	private ZooKeeperContenders() {
	}

	/**
	 * Return the contenders.
	 * @return in the order of the tables
	 */
	public static List<Contender> all() {
		EnumSet<Ability> waits = EnumSet.of(Ability.CYCLES, Ability.WAITS);
		return List.of(
				new Contender("curator", "Curator InterProcessMutex, one object for each key", ZOOKEEPER, waits,
						(client) -> new Mutexes(connected(client), new ConcurrentHashMap<>())),
				new Contender("spring-zookeeper", "Spring Integration ZookeeperLockRegistry", ZOOKEEPER, waits,
						(client) -> new JdkLocks(new ZookeeperLockRegistry(connected(client), "/spring")::obtain)));
	}

	private static CuratorFramework connected(Client client) {
		return client.resource(Connected.class, "curator", () -> {
			CuratorFramework curator = CuratorFrameworkFactory.newClient(client.store().parts().get(0),
					new ExponentialBackoffRetry(1000, 3));
			curator.start();
			return new Connected(curator);
		}).curator();
	}

	private record Connected(CuratorFramework curator) implements AutoCloseable {

		@Override
		public void close() {
			this.curator.close();
		}

	}

	private record Mutexes(CuratorFramework curator, Map<String, InterProcessMutex> known) implements Locks {

		@Override
		public Held lock(String key) throws InterruptedException {
			InterProcessMutex mutex = mutex(key);
			call(() -> {
				mutex.acquire();
				return true;
			});
			return release(mutex);
		}

		@Override
		public @Nullable Held tryLock(String key, Duration wait) throws InterruptedException {
			InterProcessMutex mutex = mutex(key);
			return call(() -> mutex.acquire(wait.toNanos(), TimeUnit.NANOSECONDS)) ? release(mutex) : null;
		}

		private InterProcessMutex mutex(String key) {
			return this.known.computeIfAbsent(key, (name) -> new InterProcessMutex(this.curator, "/curator/" + name));
		}

		private static Held release(InterProcessMutex mutex) {
			return () -> {
				try {
					mutex.release();
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
			};
		}

		private static boolean call(Attempt attempt) throws InterruptedException {
			try {
				return attempt.run();
			}
			catch (InterruptedException | RuntimeException ex) {
				throw ex;
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	@FunctionalInterface
	private interface Attempt {

		boolean run() throws Exception;

	}

}
