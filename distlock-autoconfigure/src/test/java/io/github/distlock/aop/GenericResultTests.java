package io.github.distlock.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests methods whose return type is a type variable.
 */
class GenericResultTests {

	private final AnnotationConfigApplicationContext context = LockedApplication.of(Publishing.class, Completing.class)
		.start();

	private final InMemoryLocks locks = this.context.getBean(InMemoryLocks.class);

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void aTypeVariableThatIsAPublisherIsLockedUntilItHasCompleted() {
		Mono<String> mono = this.context.getBean(Publishing.class).run(Mono.fromSupplier(() -> {
			this.locks.events.add("work");
			return "done";
		}));
		assertThat(this.locks.events).isEmpty();
		assertThat(mono.block()).isEqualTo("done");
		assertThat(this.locks.events).containsExactly("acquire k", "work", "release k");
	}

	@Test
	void aTypeVariableThatIsAStageIsLockedUntilItIsComplete() throws Exception {
		CompletableFuture<String> end = new CompletableFuture<>();
		CompletableFuture<String> result = this.context.getBean(Completing.class).run(end);
		end.thenRun(() -> this.locks.events.add("work"));
		end.complete("done");
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(this.locks.events).contains("work").endsWith("release k");
	}

	abstract static class Base<T> {

		@DistributedLock("'k'")
		T run(T result) {
			return result;
		}

	}

	static class Publishing extends Base<Mono<String>> {

	}

	static class Completing extends Base<CompletableFuture<String>> {

	}

}
