package io.github.distlock.registry;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;

import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a new JVM loads and initializes when it acquires its first locks.
 */
class FirstLockTests {

	@Test
	void theFirstLockNeedsNoGeneratedMethodOfARecordAndTheNextOnesLoadNoClassOfTheLibrary() {
		try (ChildJvm child = ChildJvm.start(List.of("-Xlog:class+load"), Program.class)) {
			assertThat(child.linesBefore("first"))
				.as("the methods that the JVM generates for a record load many classes")
				.anyMatch((line) -> line.contains("io.github.distlock.engine.KeyState "))
				.noneMatch((line) -> line.contains("java.lang.runtime.ObjectMethods"));
			assertThat(child.linesBefore("hundredth")).noneMatch((line) -> line.contains("] io.github.distlock."));
		}
	}

	@Test
	void aFirstCallThatHasNoStackMakesNoClassWithFieldUpdatersUseless() {
		try (ChildJvm child = ChildJvm.start(List.of("-Xlog:class+init"), Program.class)) {
			assertThat(child.linesBefore("first")).anyMatch((line) -> line.contains("distlock/engine/KeyState'"))
				.noneMatch((line) -> line.matches(".* '.*distlock/(registry/Caller|engine/Hold)'.*"));
		}
	}

	/** Locks in the store {@code local} a hundred times. */
	static final class Program {

		private Program() {
		}

		public static void main(String[] args) {
			PrintStream out = System.out;
			BackendLockRegistry registry = new BackendLockRegistry(
					new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 1, TimeSource.SYSTEM),
					RedisNodes.settings(Duration.ofSeconds(30)), List::of,
					CheckedEnvironment.withoutTimers(TimeSource.SYSTEM), LockObservers.NONE);
			registry.start();
			LockRequest request = LockRequest.of("key");
			out.println("started");
			registry.acquire(request).close();
			out.println("first");
			for (int i = 1; i < 100; i++) {
				registry.acquire(request).close();
			}
			out.println("hundredth");
			Runtime.getRuntime().halt(0);
		}

	}

}
