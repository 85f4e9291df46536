package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.distlock.DistributedLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.test.FakeHeldLock;
import io.micrometer.context.ContextSnapshotFactory;
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
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The lock in the MDC of the lines that Logback writes.
 */
class LockMdcTests {

	private static final Logger logger = (Logger) LoggerFactory.getLogger(LockMdcTests.class);

	private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

	private final ApplicationContextRunner silent = Contexts.withoutRedis()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
		.withPropertyValues("distlock.backend=local")
		.withBean(Work.class);

	private final ApplicationContextRunner application = this.silent.withPropertyValues("distlock.logging.mdc=true");

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
		this.application.run((context) -> {
			Work work = context.getBean(Work.class);
			LockRegistry registry = context.getBean(LockRegistry.class);
			registry.execute(LockRequest.of("outer").name("outer locks"), () -> {
				assertThatIllegalStateException().isThrownBy(() -> work.order("7", () -> {
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
		this.application.run((context) -> {
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
		this.application.run((context) -> {
			context.getBean(Work.class).stage("7").get(10, TimeUnit.SECONDS);
			assertThat(mdc(0)).containsEntry("distlock.key", "order-7").containsEntry("distlock.name", "stages");
		});
	}

	@Test
	void propagatedLocksAreShownAsLongAsTheyArePropagated() throws Exception {
		this.application.run((context) -> {
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
		this.application.run((context) -> {
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
			this.application.run((context) -> {
				context.getBean(Work.class).mono("7").block(Duration.ofSeconds(10));
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
			context.getBean(Work.class).order("7", () -> logger.info("inside"));
			MDC.clear();
		});
		assertThat(mdc(0)).containsOnly(Map.entry("distlock.key", "mine"));
	}

	@Test
	void theEndOfTheApplicationSwitchesItOff() {
		this.application.run((context) -> {
		});
		try (LockContext.Scope scope = LockContext.open(FakeHeldLock.of("later"))) {
			logger.info("inside");
		}
		assertThat(mdc(0)).isEmpty();
	}

	private Map<String, String> mdc(int line) {
		return this.lines.list.get(line).getMDCPropertyMap();
	}

	static class Work {

		@DistributedLock(key = "'order-' + #id", name = "orders")
		public void order(String id, Runnable body) {
			body.run();
		}

		@DistributedLock(key = "'order-' + #id", name = "stages")
		public CompletableFuture<Void> stage(String id) {
			logger.info("inside");
			return CompletableFuture.completedFuture(null);
		}

		@DistributedLock(key = "'order-' + #id", name = "monos")
		public Mono<String> mono(String id) {
			logger.info("inside");
			return Mono.just(id).publishOn(Schedulers.parallel()).doOnNext((value) -> logger.info("operator"));
		}

	}

}
