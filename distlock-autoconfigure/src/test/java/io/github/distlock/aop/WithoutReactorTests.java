package io.github.distlock.aop;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.OnFailure;
import io.reactivex.rxjava3.core.Maybe;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that Reactor and Micrometer's context propagation are optional.
 */
class WithoutReactorTests {

	@Test
	void methodsAreLockedWithoutReactorAndContextPropagation() throws Exception {
		URL[] rest = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !entry.contains("reactor-core") && !entry.contains("context-propagation"))
			.map(WithoutReactorTests::url)
			.toArray(URL[]::new);
		try (URLClassLoader loader = new URLClassLoader(rest, ClassLoader.getPlatformClassLoader())) {
			for (String missing : new String[] { "reactor.core.publisher.Mono",
					"io.micrometer.context.ContextSnapshotFactory" }) {
				assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> loader.loadClass(missing));
			}
			Runnable application = (Runnable) loader.loadClass(Application.class.getName())
				.getConstructor()
				.newInstance();
			ClassLoader before = Thread.currentThread().getContextClassLoader();
			Thread.currentThread().setContextClassLoader(loader);
			try {
				application.run();
			}
			finally {
				Thread.currentThread().setContextClassLoader(before);
			}
		}
	}

	private static URL url(String entry) {
		try {
			return new File(entry).toURI().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Runs in a class loader of its own.
	 */
	public static class Application implements Runnable {

		@Override
		public void run() {
			try (AnnotationConfigApplicationContext context = LockedApplication.of(Orders.class).start()) {
				Orders orders = context.getBean(Orders.class);
				orders.run();
				assertThat(orders.stage()).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo("done");
				assertThat(context.getBean(InMemoryLocks.class).events).containsExactly("acquire k", "release k",
						"acquire s", "release s");
			}
			assertThatException().isThrownBy(() -> LockedApplication.of(Rx.class).start().close())
				.havingRootCause()
				.isInstanceOf(LockDefinitionException.class)
				.withMessageContaining("returns Maybe, which needs io.projectreactor:reactor-core");
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

}
