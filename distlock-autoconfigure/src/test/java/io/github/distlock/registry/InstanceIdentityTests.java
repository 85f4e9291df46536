package io.github.distlock.registry;

import io.github.distlock.LockInstance;
import io.github.distlock.environment.EngineEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The names of registries in tickets.
 */
class InstanceIdentityTests {

	private static final long PID = ProcessHandle.current().pid();

	private static String text(String application) {
		return InstanceIdentity.create("3w5e11264sgsf", application).text();
	}

	@Test
	void anInstanceIsNamedByItsApplicationHostAndProcess() {
		assertThat(text("order-service")).matches("order-service@[A-Za-z0-9._-]{1,40}:" + PID + ":3w5e11264sgsf");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '>', quoteCharacter = '"',
			value = { "Order Service/2>Order_Service_2", "a:b|c,d#e!f@g{h}>a_b_c_d_e_f_g_h_", "\u8ba2\u5355>__",
					"\ud83d\udd12lock>_lock", "\"\">_", "a-very-long-name-of-an-application>a-very-long-name-of-an-a" })
	void theApplicationIsReducedToWhatAllStoresCanKeep(String application, String reduced) {
		assertThat(text(application)).startsWith(reduced + "@");
	}

	@Test
	void anInstanceHasNinetyCharactersAtMost() {
		String text = text("a-very-long-name-of-an-application");
		int host = text.indexOf(':') - text.indexOf('@') - 1;
		int longestPid = Integer.toUnsignedString(-1).length();
		assertThat(text.length() - host + 40 - Long.toString(PID).length() + longestPid).isLessThanOrEqualTo(90);
	}

	@Test
	void eachRunHasANonceOfItsOwn() {
		assertThat(EngineEnvironment.SYSTEM.newInstanceId()).matches("[0-9a-z]{1,13}")
			.isNotEqualTo(EngineEnvironment.SYSTEM.newInstanceId());
	}

	@Test
	void withoutAnApplicationOnlyTheNonceIsKnown() {
		assertThat(InstanceIdentity.create("3w5e11264sgsf", null)).isEqualTo(LockInstance.of("3w5e11264sgsf"));
	}

}
