package io.github.distlock.testing;

import java.io.PrintStream;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ChildJvmTests {

	@Test
	void theEndOfAChildIsReportedAtOnceWithItsStatus() {
		try (ChildJvm child = ChildJvm.start(List.of(), Ending.class)) {
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> child.expect("answer"))
				.withMessage("The child ended before it printed 'answer', with status 3");
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> child.linesBefore("answer"))
				.withMessageContaining("ended before");
		}
	}

	/** Starts, and ends without an answer. */
	static final class Ending {

		private static final PrintStream OUT = System.out;

		private Ending() {
		}

		public static void main(String[] args) {
			OUT.println("started");
			System.exit(3);
		}

	}

}
