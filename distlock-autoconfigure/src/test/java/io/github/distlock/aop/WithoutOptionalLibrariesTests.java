package io.github.distlock.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.OnFailure;
import io.github.distlock.testing.WithoutJars;
import io.reactivex.rxjava3.core.Maybe;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that Reactor, Micrometer's context propagation and spring-tx are optional. The
 * nested programs run in class loaders of their own.
 */
class WithoutOptionalLibrariesTests {

	@Test
	void methodsAreLockedWithoutReactorAndContextPropagation() throws Exception {
		WithoutJars.run(WithoutReactor.class, "reactor-core", "context-propagation");
	}

	@Test
	void methodsAreLockedWithoutSpringTx() throws Exception {
		WithoutJars.run(WithoutTransactions.class, "spring-tx", "aspectj");
	}

	public static class WithoutReactor implements Runnable {

		@Override
		public void run() {
			for (String missing : new String[] { "reactor.core.publisher.Mono",
					"io.micrometer.context.ContextSnapshotFactory" }) {
				assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> Class.forName(missing));
			}
			assertThat(LockedApplication.of(Orders.class).call(Orders.class, (orders) -> {
				orders.run();
				assertThat(orders.stage()).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo("done");
			}).events).containsExactly("acquire k", "release k", "acquire s", "release s");
			LockedApplication.of(Rx.class).assertRefused("Mono or Flux (which need io.projectreactor:reactor-core)");
		}

	}

	public static class Orders {

		@DistributedLock("'k'")
		public void run() {
		}

		@DistributedLock(key = "'s'", onFailure = OnFailure.SKIP)
		public CompletableFuture<String> stage() {
			return CompletableFuture.completedFuture("done");
		}

	}

	public static class Rx {

		@DistributedLock("'k'")
		public @Nullable Maybe<String> run() {
			return null;
		}

	}

	public static class WithoutTransactions implements Runnable {

		@Override
		public void run() {
			assertThat(ClassUtils.isPresent("org.springframework.transaction.TransactionManager", null)).isFalse();
			assertThat(LockedApplication.of(Reactive.class).call(Reactive.class, (bean) -> {
				bean.run();
				assertThat(bean.reactive().block()).isEqualTo("done");
			}).events).containsExactly("acquire k", "release k", "acquire r", "release r");
		}

	}

	public static class Reactive {

		@DistributedLock("'k'")
		public void run() {
		}

		@DistributedLock("'r'")
		public Mono<String> reactive() {
			return Mono.just("done");
		}

	}

}
