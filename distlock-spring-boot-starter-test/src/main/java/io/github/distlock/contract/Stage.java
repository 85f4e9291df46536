package io.github.distlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import org.awaitility.Awaitility;

/**
 * The resources of one test: a key, JVMs that use the one store and are created on
 * demand, and threads.
 */
final class Stage implements AutoCloseable {

	/** A lease that does not expire within a test. */
	static final Duration LEASE = Duration.ofSeconds(30);

	private final StoreUnderTest store;

	private final BackendDescription description;

	private final String key = "contract-" + UUID.randomUUID();

	private final List<LockBackend> created = new CopyOnWriteArrayList<>();

	private final List<ContractNode> nodes = new CopyOnWriteArrayList<>();

	private final List<BackendNode> backends = new CopyOnWriteArrayList<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	/** Conditions are evaluated on other threads than the test's. */
	private final Map<Boolean, ContractNode> firstAndSecondNode = new ConcurrentHashMap<>();

	private final Map<Boolean, BackendNode> firstAndSecondBackend = new ConcurrentHashMap<>();

	Stage(StoreUnderTest store, BackendDescription description) {
		this.store = store;
		this.description = description;
	}

	String key() {
		return this.key;
	}

	BackendDescription description() {
		return this.description;
	}

	/** A registry, as one JVM has it. */
	ContractNode one() {
		return this.firstAndSecondNode.computeIfAbsent(true, (first) -> node(LEASE));
	}

	/** The same, in another JVM. */
	ContractNode two() {
		return this.firstAndSecondNode.computeIfAbsent(false, (first) -> node(LEASE));
	}

	/** Another JVM, whose watchdog has this lease. */
	ContractNode node(Duration lease) {
		return node(lease, TimeSource.SYSTEM);
	}

	/** Another JVM, with clocks of its own. */
	ContractNode node(Duration lease, TimeSource clock) {
		return node(lease, clock, ReleaseMode.CONFIRMED);
	}

	/** Another JVM, which releases in the background. */
	ContractNode releasingNode() {
		return node(LEASE, TimeSource.SYSTEM, ReleaseMode.BACKGROUND);
	}

	private ContractNode node(Duration lease, TimeSource clock, ReleaseMode release) {
		ContractNode node = new ContractNode(newBackend(clock), this.store, lease, clock, release);
		this.nodes.add(node);
		return node;
	}

	/** A backend, as one JVM has it. */
	BackendNode first() {
		return this.firstAndSecondBackend.computeIfAbsent(true, (first) -> backend(TimeSource.SYSTEM));
	}

	/** The same, in another JVM. */
	BackendNode second() {
		return this.firstAndSecondBackend.computeIfAbsent(false, (first) -> backend(TimeSource.SYSTEM));
	}

	/** Another JVM, with clocks of its own. */
	BackendNode backend(TimeSource clock) {
		BackendNode node = BackendNode.start(newBackend(clock), this.store);
		this.backends.add(node);
		return node;
	}

	private LockBackend newBackend(TimeSource clock) {
		LockBackend backend = this.store.newBackend(clock);
		this.created.add(backend);
		return backend;
	}

	<T> Future<T> inThread(Callable<T> task) {
		return this.threads.submit(task);
	}

	<T> T get(Future<T> future) throws Exception {
		return future.get(this.store.patience().toMillis() * 2, TimeUnit.MILLISECONDS);
	}

	/** Wait until no ticket holds or waits and no command is under way. */
	void awaitIdle() {
		Awaitility.await()
			.pollInterval(Duration.ofMillis(10))
			.atMost(this.store.patience())
			.until(() -> this.nodes.stream().allMatch(ContractNode::isIdle));
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
		try {
			// None of them may use the stage of the next test.
			this.threads.awaitTermination(this.store.patience().toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.nodes.forEach(ContractNode::stop);
		this.backends.forEach((node) -> node.store.close());
		this.created.forEach(this.store::ended);
	}

}
