package io.github.distlock.aop;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;

import io.github.distlock.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * spring-tx is optional.
 */
class WithoutTransactionsTests {

	@Test
	void methodsAreLockedWithoutSpringTx() throws Exception {
		URL[] rest = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !entry.contains("spring-tx") && !entry.contains("aspectj"))
			.map(WithoutTransactionsTests::url)
			.toArray(URL[]::new);
		try (URLClassLoader loader = new URLClassLoader(rest, ClassLoader.getPlatformClassLoader())) {
			assertThatExceptionOfType(ClassNotFoundException.class)
				.isThrownBy(() -> loader.loadClass("org.springframework.transaction.TransactionManager"));
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
				context.getBean(Orders.class).run();
				assertThat(context.getBean(InMemoryLocks.class).events).containsExactly("acquire k", "release k");
			}
		}

	}

	public static class Orders {

		@DistributedLock("'k'")
		public void run() {
		}

	}

}
