package io.github.distlock.benchmarks.distlock;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.benchmarks.contenders.Client;
import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.contenders.Held;
import io.github.distlock.benchmarks.contenders.Locks;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import io.github.distlock.benchmarks.contenders.UnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Our lock, as it comes and in its variants.
 */
public final class DistlockContenders {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Set<Ability> ALL = EnumSet.allOf(Ability.class);

	private static final Set<Kind> EVERYWHERE = EnumSet.complementOf(EnumSet.of(Kind.NONE));

	private static final Set<Kind> REDIS = EnumSet.of(Kind.REDIS, Kind.SECURED_REDIS, Kind.REPLICATED_REDIS);

	/** Stores that keep the order of arrival. */
	private static final Set<Kind> ORDERED = EnumSet.of(Kind.REDIS, Kind.SECURED_REDIS, Kind.REPLICATED_REDIS,
			Kind.ZOOKEEPER);

	private static final Set<Ability> WITHOUT_WATCHDOG = EnumSet.of(Ability.CYCLES, Ability.WAITS);

	private DistlockContenders() {
	}

	/**
	 * Return the contenders.
	 * @return in the order of the tables
	 */
	public static List<Contender> all() {
		return List.of(
				new Contender("distlock", "distlock, default settings, lease kept by the watchdog", EVERYWHERE, ALL,
						(client) -> locks(client, UnaryOperator.identity())),
				new Contender("distlock-lease", "distlock, explicit lease of 30 s", EVERYWHERE, WITHOUT_WATCHDOG,
						(client) -> locks(client, (request) -> request.leaseTime(LEASE))),
				new Contender("distlock-fair", "distlock, LockRequest.fair(true)", ORDERED, WITHOUT_WATCHDOG,
						DistlockContenders::fair),
				variant("distlock-background", EVERYWHERE, "distlock.release", "background"),
				variant("distlock-no-handoff", EVERYWHERE, "distlock.handoff.max-time", "0s"),
				new Contender("distlock-observed", "distlock, acquisitions observed by a real ObservationRegistry",
						REDIS, WITHOUT_WATCHDOG,
						(client) -> new RegistryLocks(DistlockApplication.observed(client).registry(),
								UnaryOperator.identity())),
				// On PostgreSQL, both modes may not have the same keys.
				variant("distlock-connection", EnumSet.of(Kind.JDBC), "distlock.jdbc.mode=connection",
						Map.of("distlock.jdbc.mode", "connection", "distlock.key-prefix", "connection:")),
				// Those for certain workloads, which name them.
				new Contender("distlock-permits", "distlock, LockRequest.permits(5)", REDIS,
						EnumSet.noneOf(Ability.class), (client) -> locks(client, (request) -> request.permits(5))),
				new Contender("distlock-execute", "distlock, LockRegistry.execute", REDIS,
						EnumSet.noneOf(Ability.class),
						(client) -> executing(DistlockApplication.of(client).registry())),
				new Contender("distlock-annotated", "distlock, a method with @DistributedLock(key = \"#key\")", REDIS,
						EnumSet.noneOf(Ability.class),
						(client) -> new SectionLocks(DistlockApplication.of(client).annotated()::run)));
	}

	/** With one property that differs from the default. */
	private static Contender variant(String id, Set<Kind> stores, String property, String value) {
		return variant(id, stores, property + "=" + value, Map.of(property, value));
	}

	private static Contender variant(String id, Set<Kind> stores, String difference, Map<String, String> properties) {
		return new Contender(id, "distlock, " + difference, stores, WITHOUT_WATCHDOG,
				(client) -> new RegistryLocks(DistlockApplication.of(client, properties).registry(),
						UnaryOperator.identity()));
	}

	private static Locks locks(Client client, UnaryOperator<LockRequest> terms) {
		return new RegistryLocks(DistlockApplication.of(client).registry(), terms);
	}

	private static Locks fair(Client client) {
		LockRegistry registry = DistlockApplication.of(client).registry();
		LockRequest request = LockRequest.of("is-fair-offered").fair(true).waitTime(Duration.ZERO);
		try {
			registry.tryAcquire(request).ifPresent(HeldLock::close);
		}
		catch (LockDefinitionException ex) {
			throw new UnavailableException("the registry refuses it: " + ex.getMessage());
		}
		return new RegistryLocks(registry, (plain) -> plain.fair(true));
	}

	private record RegistryLocks(LockRegistry registry, UnaryOperator<LockRequest> terms) implements Locks {

		@Override
		public Held lock(String key) {
			return this.registry.acquire(this.terms.apply(LockRequest.of(key)).waitTime(LockRequest.FOREVER))::close;
		}

		@Override
		public @Nullable Held tryLock(String key, Duration wait) {
			HeldLock lock = this.registry.tryAcquire(this.terms.apply(LockRequest.of(key)).waitTime(wait)).orElse(null);
			return (lock != null) ? lock::close : null;
		}

	}

	private static Locks executing(LockRegistry registry) {
		return new SectionLocks(
				(key, section) -> registry.execute(LockRequest.of(key).waitTime(LockRequest.FOREVER), () -> {
					section.run();
					return true;
				}));
	}

	/** Only runs sections under a lock. */
	private record SectionLocks(SectionRunner runner) implements Locks {

		@Override
		public Held lock(String key) {
			throw new UnsupportedOperationException();
		}

		@Override
		public @Nullable Held tryLock(String key, Duration wait) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void run(String key, Runnable section) throws Exception {
			this.runner.run(key, section);
		}

	}

	private interface SectionRunner {

		void run(String key, Runnable section) throws Exception;

	}

}
