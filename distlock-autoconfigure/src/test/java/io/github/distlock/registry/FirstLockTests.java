package io.github.distlock.registry;

import java.util.List;

import io.github.distlock.testing.ChildJvm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a new JVM loads when it acquires its first locks.
 */
class FirstLockTests {

	@Test
	void theFirstLockNeedsNoGeneratedMethodOfARecordAndTheNextOnesLoadNoClassOfTheLibrary() {
		try (ChildJvm child = ChildJvm.start(List.of("-Xlog:class+load"), FirstLockProgram.class)) {
			assertThat(child.linesBefore("first"))
				.as("the methods that the JVM generates for a record load many classes")
				.anyMatch((line) -> line.contains("io.github.distlock.engine.KeyState "))
				.noneMatch((line) -> line.contains("java.lang.runtime.ObjectMethods"));
			assertThat(child.linesBefore("hundredth")).noneMatch((line) -> line.contains("] io.github.distlock."));
		}
	}

}
