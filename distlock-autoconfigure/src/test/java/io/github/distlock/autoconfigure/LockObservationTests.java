package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.observation.DefaultLockObservationConvention;
import io.github.distlock.observation.LockObservationContext;
import io.github.distlock.observation.LockObservationDocumentation;
import io.github.distlock.observation.LockObserver;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import io.micrometer.observation.tck.TestObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What is observed, and what it is a child of.
 */
class LockObservationTests {

	private final TestObservationRegistry observations = TestObservationRegistry.create();

	private final ObservationRecorder recorder = new ObservationRecorder();

	private final ApplicationContextRunner application = Contexts.withoutRedis()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
		.withPropertyValues("distlock.backend=local")
		.withBean(Work.class)
		.withBean(TestObservationRegistry.class, () -> this.observations);

	private final ApplicationContextRunner withSections = this.application
		.withPropertyValues("distlock.observations.section=true");

	LockObservationTests() {
		this.observations.observationConfig().observationHandler(this.recorder);
	}

	@Test
	void eachWayToAcquireALockIsObservedWithItsOutcome() {
		this.application.run((context) -> {
			LockRegistry registry = registry(context);
			registry.acquire(LockRequest.of("order-7").name("orders")).close();
			registry.tryAcquire(LockRequest.of("order-7").name("orders")).orElseThrow().close();
			registry.acquireAsync(LockRequest.of("order-7").name("orders")).get(10, TimeUnit.SECONDS).close();
			registry.tryAcquireAsync(LockRequest.of("order-7").name("orders"))
				.get(10, TimeUnit.SECONDS)
				.orElseThrow()
				.close();
			registry.execute(LockRequest.of("order-7").name("orders"), () -> "done");
			context.getBean(Work.class).order(() -> "done");
		});
		assertThat(this.recorder.stopped).hasSize(6)
			.allSatisfy((observed) -> assertThat(observed.getName()).isEqualTo("distlock.acquisition"))
			.allSatisfy((observed) -> assertThat(observed.getContextualName()).isEqualTo("acquire orders"))
			.allSatisfy((observed) -> assertThat(observed.getLowCardinalityKeyValues()).containsExactlyInAnyOrder(
					KeyValue.of("distlock.name", "orders"), KeyValue.of("distlock.backend", "local"),
					KeyValue.of("distlock.mode", "exclusive"), KeyValue.of("outcome", "acquired"),
					KeyValue.of("exception", "none")))
			.allSatisfy((observed) -> assertThat(observed.getHighCardinalityKeyValues()).isEmpty());
	}

	@Test
	void aLockOfTheJdkIsObservedAndItsReentryIsNot() {
		this.application.run((context) -> {
			Lock lock = registry(context).obtain("order-7");
			lock.lock();
			lock.lock();
			lock.unlock();
			lock.unlock();
		});
		assertThat(this.recorder.stopped).hasSize(1);
	}

	@Test
	void anAcquisitionCoversTheWaitAndSaysHowItEnded() {
		this.application.run((context) -> {
			LockRegistry registry = registry(context);
			CompletableFuture<HeldLock> waiting;
			try (HeldLock rival = registry.acquire(LockRequest.of("order-7"))) {
				waiting = registry.acquireAsync(LockRequest.of("order-7"));
				await().until(() -> this.recorder.events.contains("queued"));
				assertThat(this.recorder.stopped).hasSize(1);
				assertThat(rival.isHeld()).isTrue();
				assertThat(CompletableFuture
					.supplyAsync(
							() -> registry.tryAcquire(LockRequest.of("order-7").waitTime(Duration.ZERO)).isPresent())
					.get(10, TimeUnit.SECONDS)).isFalse();
				CompletableFuture<HeldLock> tooLate = registry
					.acquireAsync(LockRequest.of("order-7").waitTime(Duration.ofMillis(1)));
				assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> tooLate.get(10, TimeUnit.SECONDS))
					.withCauseInstanceOf(LockNotAcquiredException.class);
			}
			waiting.get(10, TimeUnit.SECONDS).close();
		});
		assertThat(this.recorder.outcomes()).containsExactly("acquired", "skipped", "timeout", "acquired");
		assertThat(this.recorder.events).contains("queued", "granted");
	}

	@Test
	void anInterruptAndARequestThatIsRefusedAreOutcomesToo() {
		this.application.run((context) -> {
			LockRegistry registry = registry(context);
			assertThatExceptionOfType(LockDefinitionException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("order-7")
					.leaseTime(Duration.ofSeconds(1))
					.minHold(Duration.ofSeconds(1))
					.key("x".repeat(600))));
			try (HeldLock rival = registry.acquireAsync(LockRequest.of("order-7")).get(10, TimeUnit.SECONDS)) {
				Thread.currentThread().interrupt();
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> registry.acquire(LockRequest.of("order-7")));
				assertThat(Thread.interrupted()).isTrue();
				assertThat(rival.isHeld()).isTrue();
			}
		});
		assertThat(this.recorder.outcomes()).containsExactly("invalid", "acquired", "interrupted");
		assertThat(this.recorder.stopped.peek())
			.satisfies((observed) -> assertThat(ObservationRecorder.value(observed, "exception"))
				.isEqualTo("LockDefinitionException"));
	}

	@Test
	void anAcquisitionIsTheParentOfWhatTheStoreDoesOnTheThreadOfTheCaller() {
		List<String> during = new CopyOnWriteArrayList<>();
		this.observations.observationConfig().observationHandler(new ObservationRecorder() {

			@Override
			public void onEvent(Observation.Event event, Observation.Context context) {
				ObservationView current = LockObservationTests.this.observations.getCurrentObservation();
				during.add((current != null) ? current.getContextView().getName() : "none");
			}

		});
		this.application.run((context) -> {
			LockRegistry registry = registry(context);
			HeldLock rival = registry.acquireAsync(LockRequest.of("order-7")).get(10, TimeUnit.SECONDS);
			FutureTask<Boolean> caller = new FutureTask<>(() -> {
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> registry.acquire(LockRequest.of("order-7").waitTime(LockRequest.FOREVER)));
				return this.observations.getCurrentObservation() == null;
			});
			Thread thread = new Thread(caller);
			thread.start();
			await().until(() -> !during.isEmpty());
			thread.interrupt();
			assertThat(caller).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(true);
			rival.close();
		});
		assertThat(during).containsOnly("distlock.acquisition");
	}

	@Test
	void keysAndTokensAreShownOnRequestOnly() {
		this.withSections.withPropertyValues("distlock.observations.keys=true").run((context) -> {
			try (HeldLock lock = registry(context).acquire(LockRequest.of("order-7"))) {
				assertThat(this.recorder.stopped.peek().getHighCardinalityKeyValues()).containsExactlyInAnyOrder(
						KeyValue.of("distlock.key", "order-7"),
						KeyValue.of("distlock.fencing_token", String.valueOf(lock.fencingToken())));
			}
			this.recorder.stopped.clear();
			context.getBean(Work.class).both("a", () -> "done");
			assertThat(this.recorder.stopped).last()
				.satisfies((section) -> assertThat(section.getContextualName()).isEqualTo("section one,two"))
				.satisfies((section) -> assertThat(section.getHighCardinalityKeyValues())
					.contains(KeyValue.of("distlock.key", "one-a,two-a")));
		});
	}

	@Test
	void thePropertyOfSpringBootSwitchesEverythingOff() {
		this.withSections.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class))
			.withPropertyValues("management.observations.enable.distlock=false")
			.run((context) -> assertThat(context.getBean(Work.class).order(() -> "done")).isEqualTo("done"));
		assertThat(this.recorder.stopped).isEmpty();
	}

	@Test
	void withoutAnObservationRegistryThereIsNoObserver() {
		Contexts.withoutRedis()
			.withPropertyValues("distlock.backend=local")
			.run((context) -> assertThat(context).doesNotHaveBean(LockObserver.class));
		Contexts.withoutRedis()
			.withPropertyValues("distlock.backend=local", "distlock.observations.section=true")
			.withBean(ObservationRegistry.class, ObservationRegistry::create)
			.run((context) -> {
				LockObserver observer = context.getBean(LockObserver.class);
				assertThat(observer.acquisition("local", LockRequest.of("order-7"))).isNull();
				assertThat(registry(context).<String>execute(LockRequest.of("order-7"), () -> "done"))
					.isEqualTo("done");
			});
	}

	@Test
	void aHandlerThatFailsAffectsNoLock() {
		this.observations.observationConfig().observationHandler(new ObservationRecorder() {

			@Override
			public void onStart(Observation.Context context) {
				throw new IllegalStateException("as intended");
			}

		});
		this.withSections.run((context) -> {
			assertThat(context.getBean(Work.class).order(() -> "done")).isEqualTo("done");
			assertThat(context.getBean(Work.class).order(() -> "again")).isEqualTo("again");
		});
	}

	@Test
	void aConventionOfTheApplicationReplacesTheDefaultForItsKind() {
		this.withSections.withBean(Shouting.class, Shouting::new)
			.run((context) -> context.getBean(Work.class).order(() -> "done"));
		assertThat(this.recorder.tree()).containsExactly("ACQUIRE ORDERS", "section orders");
	}

	@Test
	void theCallerIsTheParentAndOfAsynchronousWorkToo() {
		this.withSections.run((context) -> {
			Work work = context.getBean(Work.class);
			Observation caller = Observation.start("caller", this.observations);
			try (Observation.Scope scope = caller.openScope()) {
				work.order(() -> "done");
				registry(context).acquireAsync(LockRequest.of("other")).get(10, TimeUnit.SECONDS).close();
				work.stage(this.observations).get(10, TimeUnit.SECONDS);
			}
			work.mono(this.observations)
				.contextWrite((reactor) -> reactor.put(LockObserver.CONTEXT_KEY, caller))
				.block(Duration.ofSeconds(10));
			caller.stop();
		});
		assertThat(this.recorder.tree()).containsExactlyInAnyOrder("acquire orders < caller", "section orders < caller",
				"acquire unnamed < caller", "acquire stages < caller", "section stages < caller",
				"inside < section stages", "acquire monos < caller", "section monos < caller", "inside < section monos",
				"operator < section monos", "caller");
	}

	@Test
	void whatHappensInsideIsAChildOfTheSection() {
		this.withSections.run((context) -> {
			context.getBean(Work.class).order(() -> {
				Observation.start("sql", this.observations).stop();
				return registry(context).execute(LockRequest.of("inner").name("inner"), () -> {
					Observation.start("inner sql", this.observations).stop();
					return "done";
				});
			});
		});
		assertThat(this.recorder.tree()).containsExactly("acquire orders", "sql < section orders",
				"acquire inner < section orders", "inner sql < section inner", "section inner < section orders",
				"section orders");
	}

	@Test
	void aSectionEndsWithItsWorkAndSaysHow() {
		this.withSections.run((context) -> {
			Work work = context.getBean(Work.class);
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> work.order(() -> {
				throw new IllegalStateException("as intended");
			}));
			CompletableFuture<String> end = new CompletableFuture<>();
			CompletableFuture<String> result = work.until(end);
			await().until(() -> this.recorder.started.stream().filter("distlock.section"::equals).count() == 2);
			assertThat(this.recorder.tree()).doesNotContain("section until");
			end.completeExceptionally(new IllegalArgumentException("as intended"));
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> result.get(10, TimeUnit.SECONDS));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> work.brief(this.recorder));
		});
		assertThat(this.recorder.stopped.stream()
			.filter((observed) -> "distlock.section".equals(observed.getName()))
			.map((observed) -> ObservationRecorder.value(observed, "outcome") + " "
					+ ObservationRecorder.value(observed, "exception")))
			.containsExactly("error IllegalStateException", "error IllegalArgumentException", "lost none");
		assertThat(this.recorder.events).contains("lost");
	}

	private static LockRegistry registry(ApplicationContext context) {
		return context.getBean(LockRegistry.class);
	}

	static class Shouting extends DefaultLockObservationConvention {

		Shouting() {
			super(LockObservationDocumentation.ACQUISITION, false);
		}

		@Override
		public String getContextualName(LockObservationContext context) {
			return super.getContextualName(context).toUpperCase(Locale.ROOT);
		}

	}

	static class Work {

		@DistributedLock(key = "'order-7'", name = "orders")
		public String order(Callable<String> body) throws Exception {
			return body.call();
		}

		@DistributedLock(key = "'one-' + #id", name = "one")
		@DistributedLock(key = "'two-' + #id", name = "two")
		public String both(String id, Callable<String> body) throws Exception {
			return body.call();
		}

		@DistributedLock(key = "'order-7'", name = "stages")
		public CompletableFuture<String> stage(ObservationRegistry observations) {
			Observation.start("inside", observations).stop();
			return CompletableFuture.completedFuture("done");
		}

		@DistributedLock(key = "'until'", name = "until")
		public CompletableFuture<String> until(CompletableFuture<String> end) {
			return end;
		}

		@DistributedLock(key = "'order-7'", name = "monos")
		public Mono<String> mono(ObservationRegistry observations) {
			Observation.start("inside", observations).stop();
			return Mono.deferContextual((context) -> {
				Observation.createNotStarted("operator", observations)
					.parentObservation(context.get(LockObserver.CONTEXT_KEY))
					.start()
					.stop();
				return Mono.just("done");
			}).subscribeOn(Schedulers.parallel());
		}

		@DistributedLock(key = "'brief'", name = "brief", leaseTime = "100ms")
		public void brief(ObservationRecorder recorder) {
			await().until(() -> recorder.events.contains("lost"));
		}

	}

	/** Records what is started and stopped. */
	static class ObservationRecorder implements ObservationHandler<Observation.Context> {

		final Queue<Observation.Context> stopped = new ConcurrentLinkedQueue<>();

		final Queue<String> started = new ConcurrentLinkedQueue<>();

		final Queue<String> events = new ConcurrentLinkedQueue<>();

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

		@Override
		public void onStart(Observation.Context context) {
			this.started.add(String.valueOf(context.getName()));
		}

		@Override
		public void onEvent(Observation.Event event, Observation.Context context) {
			this.events.add(event.getName());
		}

		@Override
		public void onStop(Observation.Context context) {
			this.stopped.add(context);
		}

		List<String> outcomes() {
			return this.stopped.stream().map((observed) -> value(observed, "outcome")).toList();
		}

		/** What was stopped, each with its parent. */
		List<String> tree() {
			return this.stopped.stream().map((observed) -> {
				ObservationView parent = observed.getParentObservation();
				return name(observed) + ((parent != null) ? " < " + name(parent.getContextView()) : "");
			}).toList();
		}

		private static String name(Observation.ContextView context) {
			@Nullable String contextual = context.getContextualName();
			return (contextual != null) ? contextual : String.valueOf(context.getName());
		}

		static String value(Observation.Context observed, String key) {
			KeyValue found = observed.getLowCardinalityKeyValue(key);
			return (found != null) ? found.getValue() : "";
		}

	}

}
