package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.testing.ChildJvm;
import org.aspectj.lang.ProceedingJoinPoint;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests locks that AspectJ's weaver puts around methods, in a JVM with the real agent.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LoadTimeWeavingTests {

	private final ChildJvm child;

	LoadTimeWeavingTests() {
		String agent = ProceedingJoinPoint.class.getProtectionDomain().getCodeSource().getLocation().getPath();
		this.child = ChildJvm.start(List.of("-javaagent:" + agent), WovenChild.class);
	}

	@BeforeAll
	void theChildHasStarted() {
		assertThat(result("anything")).isEqualTo("unknown");
	}

	@AfterAll
	void stop() {
		this.child.close();
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "self-invocation, public-7", "from-outside, public-7", "private, private-7", "composed, composed",
			"failing, throwing", "static, static-7", "stage, stage-7", "no-bean, public-7" })
	void isLockedOnce(String scene, String key) {
		assertThat(result(scene)).isEqualTo("[acquire " + key + ", run, release " + key + "]");
	}

	@Test
	void eachSubscriberIsLocked() {
		String one = "acquire mono-7, call, run, release mono-7";
		assertThat(result("mono")).isEqualTo("[" + one + ", " + one + "]");
	}

	@Test
	void eachPublicMethodOfAClassIsLocked() {
		assertThat(result("whole-class")).isEqualTo("[acquire whole, run, run, release whole]");
	}

	@Test
	void theProxyOfAWovenClassIsNotLockedAgain() {
		assertThat(result("proxied-class")).isEqualTo("[acquire whole, run, run, release whole]");
	}

	@Test
	void modeProxyDoesNotLockTwiceUnderTheAgent() {
		assertThat(result("proxy-mode")).isEqualTo("[acquire public-7, run, release public-7]");
	}

	@Test
	void modeProxyReachesNoSelfInvocationUnderTheAgentEither() {
		assertThat(result("proxy-mode-self")).isEqualTo("[run]");
	}

	@Test
	void eachApplicationLocksItsOwnBeans() {
		assertThat(result("two-applications"))
			.isEqualTo("[acquire public-1, run, release public-1] [acquire public-2, run, release public-2]");
	}

	@Test
	void anApplicationWithProxiesIsNotLockedByAnotherOne() {
		assertThat(result("beside-a-proxy")).isEqualTo("[] [acquire public-7, run, release public-7]");
	}

	@Test
	void aStaticMethodOfSeveralApplicationsIsRefused() {
		assertThat(result("ambiguous")).startsWith("refused: @DistributedLock on ")
			.contains("WovenWares.count(")
			.endsWith("Call the method on a bean, or run one application in a JVM");
	}

	@Test
	void anAnnotationThatTheWeaverDoesNotSeeFailsTheStart() {
		assertThat(result("interface")).startsWith("refused: @DistributedLock on ")
			.contains("OfInterface.method() would not be locked")
			.contains("on the method itself");
	}

	@Test
	void anAnnotationOfASuperTypeIsSeenByTheWeaver() {
		assertThat(result("interface-type")).isEqualTo("[acquire whole-interface, run, release whole-interface]");
		String one = "acquire whole, run, release whole";
		assertThat(result("part")).isEqualTo("[" + one + ", " + one + "]");
	}

	@Test
	void aTransactionThatAProxyBeginsAroundTheLockFailsTheStart() {
		assertThat(result("transaction")).startsWith("refused: @DistributedLock on ")
			.contains("InTransaction.method() would be locked inside of its transaction")
			.contains("AdviceMode.ASPECTJ");
	}

	@Test
	void withoutAnApplicationTheMethodJustRuns() {
		assertThat(result("no-application")).isEqualTo("[run]");
	}

	private String result(String scene) {
		return this.child.send(scene).expect("said " + scene + " ");
	}

}
