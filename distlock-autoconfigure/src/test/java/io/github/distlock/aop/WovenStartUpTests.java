package io.github.distlock.aop;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Weaving is asked for, and this JVM has no weaver.
 */
class WovenStartUpTests {

	@Test
	void aMethodThatIsNotWovenFailsTheStartUp() {
		assertThatException()
			.isThrownBy(() -> LockedApplication.of(ProxiedWares.class).with("mode", AopMode.ASPECTJ).start().close())
			.havingRootCause()
			.isInstanceOf(LockDefinitionException.class)
			.withMessageContaining("ProxiedWares.deduct(String) would not be locked")
			.withMessageContaining("-javaagent:aspectjweaver.jar")
			.withMessageContaining("set distlock.aop.mode to proxy");
	}

	@Test
	void whatIsWrongInEveryModeIsRefusedFirst() {
		assertThatException()
			.isThrownBy(() -> LockedApplication.of(Wrong.class).with("mode", AopMode.ASPECTJ).start().close())
			.havingRootCause()
			.isInstanceOf(LockDefinitionException.class)
			.withMessageContaining("waitTime = \"5\"");
	}

	@Test
	void withoutAnnotatedMethodsNoWeaverIsNeeded() {
		LockedApplication.of(Plain.class).with("mode", AopMode.ASPECTJ).start().close();
	}

	static class Wrong {

		@DistributedLock(key = "'a'", waitTime = "5")
		private void method() {
		}

	}

	static class Plain {

	}

}
