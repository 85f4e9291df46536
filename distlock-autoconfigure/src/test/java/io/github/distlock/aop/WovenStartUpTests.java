package io.github.distlock.aop;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests mode {@code aspectj} in a JVM without a weaver.
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
	void withoutAnnotatedMethodsNoWeaverIsNeeded() {
		LockedApplication.of(Plain.class).with("mode", AopMode.ASPECTJ).start().close();
	}

	@Test
	void aMethodThatOnlyAnotherAspectIsWovenIntoFailsTheStartUp() {
		assertThatException()
			.isThrownBy(() -> LockedApplication.of(Traced.class).with("mode", AopMode.ASPECTJ).start().close())
			.havingRootCause()
			.isInstanceOf(LockDefinitionException.class)
			.withMessageContaining("Traced.deduct(String) would not be locked")
			.withMessageContaining("-javaagent:aspectjweaver.jar")
			.withMessageContaining("set distlock.aop.mode to proxy");
	}

	/** As the AspectJ compiler writes it for an aspect other than the lock. */
	static class Traced {

		@DistributedLock("#id")
		public void deduct(String id) {
			deduct_aroundBody0(this, id);
		}

		@SuppressWarnings("checkstyle:MethodName")
		static void deduct_aroundBody0(Traced self, String id) {
		}

	}

	static class Plain {

	}

}
