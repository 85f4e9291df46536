package io.github.distlock.aop;

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

	static class Plain {

	}

}
