package io.github.distlock.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a lock store, on the store that the documentation shows.
 */
class ExampleStoreTests extends LockStoreContract {

	private static final String FILE = "docs/examples/MemoryLockStore.java";

	@TempDir
	@SuppressWarnings("NullAway.Init")
	static Path classes;

	@Override
	protected StoreUnderTest openStore() {
		List<CodeBlock> store = List.of(new CodeBlock(FILE, 1, "java", true, Pages.text(FILE)));
		assertThat(JavaBlocks.errors(store, classes)).isEmpty();
		Class<?> backend = load("MemoryLockBackend");
		return new ExampleStore(backend, backend.getDeclaredClasses());
	}

	private static Class<?> load(String name) {
		Path folder = classes.resolve("0");
		try (Stream<Path> files = Files.walk(folder)) {
			Path file = files.filter((each) -> each.endsWith(name + ".class")).findFirst().orElseThrow();
			String type = folder.relativize(file).toString().replace('/', '.').replace('\\', '.');
			ClassLoader loader = new URLClassLoader(new URL[] { folder.toUri().toURL() },
					ExampleStoreTests.class.getClassLoader());
			return ClassUtils.resolveClassName(type.replaceAll("\\.class$", ""), loader);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Its server is shared by all backends of a test. */
	private static final class ExampleStore implements StoreUnderTest {

		private final Constructor<?> backend;

		private final Object server;

		ExampleStore(Class<?> backend, Class<?>[] nested) {
			Class<?> server = Stream.of(nested)
				.filter((type) -> type.getSimpleName().equals("Server"))
				.findFirst()
				.orElseThrow();
			try {
				this.backend = backend.getDeclaredConstructor(server, TimeSource.class);
				this.backend.setAccessible(true);
				Constructor<?> opened = server.getDeclaredConstructor();
				opened.setAccessible(true);
				this.server = opened.newInstance();
			}
			catch (ReflectiveOperationException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public LockBackend newBackend(TimeSource clock) {
			try {
				return (LockBackend) this.backend.newInstance(this.server, clock);
			}
			catch (ReflectiveOperationException ex) {
				throw new IllegalStateException(ex);
			}
		}

		private Map<?, ?> owners() {
			return (Map<?, ?>) Objects.requireNonNull(ReflectionTestUtils.getField(this.server, "owners"));
		}

		@Override
		public void clear() {
			owners().clear();
		}

		/** A lease that has ended is no lock. */
		@Override
		public long items() {
			return owners().values()
				.stream()
				.filter((owner) -> !Boolean.TRUE.equals(ReflectionTestUtils.invokeMethod(owner, "hasEnded")))
				.count();
		}

		@Override
		public Duration memory() {
			return Duration.ZERO;
		}

		@Override
		public void close() {
		}

	}

}
