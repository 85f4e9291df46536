package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.observation.DefaultLockObservationConvention;
import io.github.distlock.observation.LockObservationContext;
import io.github.distlock.observation.LockObservationDocumentation;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.test.FakeHeldLock;
import io.micrometer.common.KeyValue;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import io.micrometer.observation.tck.TestObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What is observed, and what it is a child of, and the lock in the MDC of the lines that
 * Logback writes.
 */
class LockObservationTests {

	private final TestObservationRegistry observations = TestObservationRegistry.create();

	private final ObservationRecorder recorder = new ObservationRecorder();

	private final ApplicationContextRunner silent = Contexts.withoutRedis()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
		.withPropertyValues("distlock.backend=local")
		.withBean(Work.class);

	private final ApplicationContextRunner application = this.silent.withBean(TestObservationRegistry.class,
			() -> this.observations);

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
		Contexts.local().run((context) -> assertThat(context).doesNotHaveBean(LockObserver.class));
		Contexts.local("distlock.observations.section=true")
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
			logger.info("inside");
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

		@DistributedLock(key = "'order-7'", name = "monos")
		public Mono<String> logged() {
			logger.info("inside");
			return Mono.just("done").publishOn(Schedulers.parallel()).doOnNext((value) -> logger.info("operator"));
		}

		@DistributedLock(key = "'brief'", name = "brief", leaseTime = "100ms")
		public void brief(ObservationRecorder recorder) {
			await().until(() -> recorder.events.contains("lost"));
		}

	}

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

	private static final Logger logger = (Logger) LoggerFactory.getLogger(LockObservationTests.class);

	private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

	private final ApplicationContextRunner withMdc = this.silent.withPropertyValues("distlock.logging.mdc=true");

	@BeforeEach
	void record() {
		this.lines.start();
		logger.addAppender(this.lines);
	}

	@AfterEach
	void leaveNothingInTheMdc() {
		logger.detachAppender(this.lines);
		Map<String, String> left = MDC.getCopyOfContextMap();
		MDC.clear();
		assertThat(left).satisfiesAnyOf((map) -> assertThat(map).isNull(), (map) -> assertThat(map).isEmpty());
	}

	@Test
	void anInnerLockRestoresTheOuterOneEvenAfterAnException() {
		this.withMdc.run((context) -> {
			Work work = context.getBean(Work.class);
			LockRegistry registry = context.getBean(LockRegistry.class);
			registry.execute(LockRequest.of("outer").name("outer locks"), () -> {
				assertThatIllegalStateException().isThrownBy(() -> work.order(() -> {
					logger.info("inner");
					throw new IllegalStateException("as intended");
				}));
				logger.info("outer");
				return null;
			});
			logger.info("outside");
		});
		assertThat(mdc(0)).containsOnly(Map.entry("distlock.key", "order-7"), Map.entry("distlock.name", "orders"));
		assertThat(mdc(1)).containsEntry("distlock.key", "outer").containsEntry("distlock.name", "outer locks");
		assertThat(mdc(2)).isEmpty();
	}

	@Test
	void aLockThatEndsAfterItsApplicationIsRemovedTogetherWithValuesOfTheApplication() {
		AtomicReference<LockContext.Scope> scope = new AtomicReference<>();
		this.withMdc.run((context) -> {
			MDC.put("distlock.key", "mine");
			scope.set(LockContext.open(FakeHeldLock.of("outer")));
			logger.info("inside");
		});
		scope.get().close();
		logger.info("outside");
		assertThat(mdc(0)).containsEntry("distlock.key", "outer");
		assertThat(mdc(1)).isEmpty();
	}

	@Test
	void aBodyOnAnotherThreadHasTheLock() {
		this.withMdc.run((context) -> {
			context.getBean(Work.class).stage(this.observations).get(10, TimeUnit.SECONDS);
			assertThat(mdc(0)).containsEntry("distlock.key", "order-7").containsEntry("distlock.name", "stages");
		});
	}

	@Test
	void propagatedLocksAreShownAsLongAsTheyArePropagated() throws Exception {
		this.withMdc.run((context) -> {
			Runnable[] task = new Runnable[1];
			context.getBean(LockRegistry.class).execute(LockRequest.of("outer").name("outer locks"), () -> {
				task[0] = ContextSnapshotFactory.builder().build().captureAll().wrap(() -> {
					logger.info("propagated");
					try (LockContext.Scope scope = LockContext.open(FakeHeldLock.of("inner"))) {
						logger.info("inner");
					}
					logger.info("propagated");
				});
				return null;
			});
			CompletableFuture.runAsync(() -> {
				task[0].run();
				logger.info("outside");
			}).get(10, TimeUnit.SECONDS);
		});
		assertThat(mdc(0)).containsEntry("distlock.key", "outer").containsEntry("distlock.name", "outer locks");
		assertThat(mdc(1)).containsEntry("distlock.key", "inner").containsEntry("distlock.name", "unnamed");
		assertThat(mdc(2)).isEqualTo(mdc(0));
		assertThat(mdc(3)).isEmpty();
	}

	@Test
	void theLockOfAPropagatedMdcDoesNotStayOnTheThread() {
		this.withMdc.run((context) -> {
			Runnable task;
			try (LockContext.Scope scope = LockContext.open(FakeHeldLock.of("outer"))) {
				task = ContextSnapshotFactory.builder().build().captureAll().wrap(() -> logger.info("propagated"));
			}
			CompletableFuture.runAsync(() -> {
				// As a decorator that copies the MDC of the caller would do.
				MDC.put("distlock.key", "outer");
				MDC.put("distlock.name", "unnamed");
				task.run();
				logger.info("outside");
			}).get(10, TimeUnit.SECONDS);
		});
		assertThat(mdc(0)).containsEntry("distlock.key", "outer");
		assertThat(mdc(1)).isEmpty();
	}

	@Test
	void aReactiveBodyHasTheLockAndItsOperatorsToo() {
		Hooks.enableAutomaticContextPropagation();
		try {
			this.withMdc.run((context) -> {
				context.getBean(Work.class).logged().block(Duration.ofSeconds(10));
				logger.info("outside");
			});
		}
		finally {
			Hooks.disableAutomaticContextPropagation();
		}
		assertThat(mdc(0)).containsEntry("distlock.key", "order-7").containsEntry("distlock.name", "monos");
		assertThat(mdc(1)).isEqualTo(mdc(0));
		assertThat(mdc(2)).isEmpty();
	}

	@Test
	void byDefaultTheMdcIsNotTouched() {
		this.silent.run((context) -> {
			MDC.put("distlock.key", "mine");
			context.getBean(Work.class).order(() -> {
				logger.info("inside");
				return "done";
			});
			MDC.clear();
		});
		assertThat(mdc(0)).containsOnly(Map.entry("distlock.key", "mine"));
	}

	@Test
	void theEndOfTheApplicationSwitchesItOff() {
		this.withMdc.run((context) -> {
		});
		try (LockContext.Scope scope = LockContext.open(FakeHeldLock.of("later"))) {
			logger.info("inside");
		}
		assertThat(mdc(0)).isEmpty();
	}

	private Map<String, String> mdc(int line) {
		return this.lines.list.get(line).getMDCPropertyMap();
	}

}
