package io.github.distlock.smoke;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.github.distlock.LockLostException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.beans.BeanUtils;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.TestContextManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What the smoke application must do on two nodes, for one Redis driver and one Redis
 * server.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SmokeContract {

	private static final int THREADS = 3;

	private static final int CALLS = 4;

	/** Compiled only where {@code @DistlockTest} can be. */
	private static final String SLICE = "io.github.distlock.smoke.SectionsSlice";

	@RegisterExtension
	final CombinationRecorder recorder = new CombinationRecorder();

	private final AtomicInteger keys = new AtomicInteger();

	private final Deque<Server> started = new ArrayDeque<>();

	private SmokeNode node;

	private SmokeNode otherNode;

	private ExecutorService callers;

	/** Start the server, or skip the tests if the machine does not have it. */
	abstract RedisProcess startRedis();

	/** Return the value of {@code spring.data.redis.client-type}. */
	abstract String driver();

	@BeforeAll
	void start() {
		this.callers = Executors.newCachedThreadPool();
		RedisProcess redis = startRedis();
		this.started.push(redis);
		this.node = SmokeNode.start(driver(), redis.port());
		this.started.push(this.node);
		this.otherNode = SmokeNode.start(driver(), redis.port());
		this.started.push(this.otherNode);
		this.recorder.runs(Combination.of(this.node));
	}

	@AfterAll
	void stop() {
		this.callers.shutdownNow();
		while (!this.started.isEmpty()) {
			this.started.pop().close();
		}
	}

	@ParameterizedTest
	@EnumSource(Store.class)
	void aSectionExcludesOtherCallersUntilItEnds(Store store) {
		String key = newKey();
		LockRequest once = LockRequest.of(key).waitTime(Duration.ZERO);
		long[] token = new long[1];
		store.run(this.node, key, (fencingToken) -> {
			token[0] = fencingToken;
			assertThat(call(() -> store.registry(otherNode(store)).tryAcquire(once))).isEmpty();
		});
		try (var held = store.registry(otherNode(store)).acquire(once)) {
			assertThat(held.fencingToken()).isGreaterThan(token[0]);
		}
	}

	@ParameterizedTest
	@EnumSource(Store.class)
	void waitingCallersEnterOneAfterAnother(Store store) {
		String key = newKey();
		AtomicInteger counter = new AtomicInteger();
		List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
		onAllThreads((caller) -> store.run(caller, key, (token) -> {
			int seen = counter.get();
			Thread.yield();
			counter.set(seen + 1);
			tokens.add(token);
		}), this.node, otherNode(store));
		assertThat(counter).hasValue(2 * THREADS * CALLS);
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void transactionsOfLockedMethodsLoseNoUpdate() {
		LockedStock stock = this.node.bean(LockedStock.class);
		stock.add("book", 2 * THREADS * CALLS);
		onAllThreads((caller) -> caller.bean(LockedStock.class).sell("book"), this.node, this.otherNode);
		assertThat(stock.quantity("book")).isZero();
	}

	@Test
	void aTransactionThatTheDatabaseRefusesLeavesTheOuterOneAsItWas() throws Exception {
		JdbcTemplate database = this.node.bean(JdbcTemplate.class);
		TransactionTemplate outer = new TransactionTemplate(this.node.bean(PlatformTransactionManager.class));
		TransactionTemplate inner = new TransactionTemplate(this.node.bean(PlatformTransactionManager.class));
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		Callable<Boolean> late = () -> {
			// As a later holder does.
			inner.executeWithoutResult((status) -> database.update("UPDATE distlock_fence SET token = token + 1"));
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> inner.executeWithoutResult((status) -> fail("It is refused before")));
			return TransactionSynchronizationManager.isActualTransactionActive();
		};
		LockRegistry locks = Store.REDIS.registry(this.node);
		assertThat(locks.execute(LockRequest.of(newKey()), late)).isFalse();
		outer.executeWithoutResult(
				(status) -> assertThat(assertDoesNotThrow(() -> locks.execute(LockRequest.of(newKey()), late)))
					.isTrue());
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
	}

	@Test
	void aStageHoldsTheLockUntilItCompletes() throws Exception {
		String key = newKey();
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> stage = this.node.bean(LockedStages.class).stage(key, () -> work);
		await().atMost(Duration.ofMinutes(2)).until(() -> isTaken(key));
		work.complete("done");
		assertThat(stage.get(30, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(isTaken(key)).isFalse();
	}

	@Test
	void aPublisherHoldsTheLockUntilItEnds() throws Exception {
		String key = newKey();
		Sinks.One<String> work = Sinks.one();
		Mono<String> mono = this.node.bean(LockedStages.class).mono(key, work.asMono());
		assertThat(isTaken(key)).isFalse();
		CompletableFuture<String> result = mono.toFuture();
		await().atMost(Duration.ofMinutes(2)).until(() -> isTaken(key));
		work.tryEmitValue("done");
		assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(isTaken(key)).isFalse();
	}

	@Test
	void theWorkOfAStageRunsOnAVirtualThreadIfTheseAreEnabled() throws Exception {
		CompletableFuture<Boolean> virtual = new CompletableFuture<>();
		this.node.bean(LockedStages.class)
			.stage(newKey(),
					() -> CompletableFuture
						.completedFuture(String.valueOf(virtual.complete(isVirtual(Thread.currentThread())))))
			.get(30, TimeUnit.SECONDS);
		assertThat(virtual).isCompletedWithValue(Boolean.getBoolean("spring.threads.virtual.enabled"));
	}

	@Test
	void theMetersCountAcquisitions() {
		this.node.bean(LockedSections.class).overRedis(newKey(), (token) -> {
		}, 0);
		assertThat(this.node.get("/actuator/metrics/distlock.acquire?tag=name:section&tag=outcome:acquired"))
			.containsPattern("\"statistic\":\"COUNT\",\"value\":[1-9]");
	}

	@Test
	void theEndpointShowsALockThatIsHeld() {
		assumeSpringBoot4("A request without optional parameters");
		String key = newKey();
		this.node.bean(LockedSections.class)
			.overRedis(key,
					(token) -> assertThat(this.node.get("/actuator/distlocks")).contains("\"key\":\"" + key + "\""), 0);
		assertThat(this.node.get("/actuator/distlocks")).doesNotContain("\"key\":\"" + key + "\"");
	}

	@Test
	void theHealthOfEachStoreIsShown() {
		assumeSpringBoot4("The health component");
		assertThat(this.node.get("/actuator/health/distlock")).contains("\"status\":\"UP\"")
			.contains("\"redis\"", "\"jdbc\"", "\"zookeeper\"", "\"local\"");
	}

	@Test
	void aTestSliceNeedsNoServer() throws Exception {
		assumeSpringBoot4("The test slice");
		Slice slice = (Slice) BeanUtils.instantiateClass(ClassUtils.forName(SLICE, null));
		Method check = slice.getClass().getMethod("check");
		TestContextManager spring = new TestContextManager(slice.getClass());
		spring.prepareTestInstance(slice);
		spring.beforeTestMethod(slice, check);
		slice.check();
		spring.afterTestMethod(slice, check, null);
	}

	private String newKey() {
		return getClass().getSimpleName() + "-" + this.keys.incrementAndGet();
	}

	/** The local store does not exclude another node. */
	private SmokeNode otherNode(Store store) {
		return (store == Store.LOCAL) ? this.node : this.otherNode;
	}

	private boolean isTaken(String key) {
		LockRequest once = LockRequest.of(key).waitTime(Duration.ZERO);
		return Store.REDIS.registry(this.otherNode).tryAcquire(once).map((held) -> {
			held.close();
			return false;
		}).orElse(true);
	}

	private void onAllThreads(Consumer<SmokeNode> work, SmokeNode... nodes) {
		List<Future<?>> results = new ArrayList<>();
		for (SmokeNode caller : nodes) {
			for (int thread = 0; thread < THREADS; thread++) {
				results.add(this.callers.submit(() -> {
					for (int call = 0; call < CALLS; call++) {
						work.accept(caller);
					}
				}));
			}
		}
		for (Future<?> result : results) {
			assertThat(result).succeedsWithin(Duration.ofSeconds(60));
		}
	}

	private static void assumeSpringBoot4(String what) {
		assumeTrue(ClassUtils.isPresent("org.springframework.boot.health.contributor.HealthContributor", null),
				what + " needs Spring Boot 4");
	}

	/** Java 17 has no such method. */
	private static boolean isVirtual(Thread thread) {
		Method method = ReflectionUtils.findMethod(Thread.class, "isVirtual");
		return method != null && Boolean.TRUE.equals(ReflectionUtils.invokeMethod(method, thread));
	}

	/** Call on another thread, which does not enter the locks of this one again. */
	private <T> T call(Callable<T> action) {
		try {
			return this.callers.submit(action).get(30, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
