package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.observation.LockObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The work under locks as an observation, and what is inside it.
 */
class LockSectionTests {

	private final TestObservationRegistry observations = TestObservationRegistry.create();

	private final ObservationRecorder recorder = new ObservationRecorder();

	private final ApplicationContextRunner application = Contexts.withoutRedis()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
		.withPropertyValues("distlock.backend=local", "distlock.observations.section=true")
		.withBean(Work.class)
		.withBean(TestObservationRegistry.class, () -> this.observations);

	LockSectionTests() {
		this.observations.observationConfig().observationHandler(this.recorder);
	}

	@Test
	void theCallerIsTheParentAndOfAsynchronousWorkToo() {
		this.application.run((context) -> {
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
		this.application.run((context) -> {
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
		this.application.run((context) -> {
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

	static class Work {

		@DistributedLock(key = "'order-7'", name = "orders")
		public String order(Callable<String> body) throws Exception {
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

}
