package io.github.distlock.aop;

import io.github.distlock.DistributedLock;
import org.junit.jupiter.api.Test;

/**
 * Tests mode {@code aspectj} in a JVM without a weaver.
 */
class WovenStartUpTests {

	@Test
	void aMethodThatIsNotWovenFailsTheStartUp() {
		LockedApplication.of(ProxiedWares.class)
			.with("mode", AopMode.ASPECTJ)
			.assertRefused("ProxiedWares.deduct(String) would not be locked", "-javaagent:aspectjweaver.jar",
					"set distlock.aop.mode to proxy");
	}

	@Test
	void withoutAnnotatedMethodsNoWeaverIsNeeded() {
		LockedApplication.of(Plain.class).with("mode", AopMode.ASPECTJ).start().close();
	}

	@Test
	void aMethodThatOnlyAnotherAspectIsWovenIntoFailsTheStartUp() {
		LockedApplication.of(Traced.class)
			.with("mode", AopMode.ASPECTJ)
			.assertRefused("Traced.deduct(String) would not be locked", "-javaagent:aspectjweaver.jar",
					"set distlock.aop.mode to proxy");
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
