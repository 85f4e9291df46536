package io.github.distlock.registry;

import io.github.distlock.LockInstance;
import io.github.distlock.environment.EngineEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
			value = { "Order Service/2>Order_Service_2", "a:b|c,d#e!f@g{h}>a_b_c_d_e_f_g_h_", "\u8ba2\u5355>_.i6JTVQ.",
					"B\u00fccher\ud83d\udd12lock>B_.APw.cher_lock", "\"\">_",
					"a-very-long-name-of-an-application>a-very-long-name-of-an-a" })
	void theApplicationIsReducedToWhatAllStoresCanKeep(String application, String reduced) {
		assertThat(text(application)).startsWith(reduced + "@");
	}

	@ParameterizedTest
	@ValueSource(strings = { "a-very-long-name-of-an-application",
			"\u8ba2\u5355\u670d\u52a1\u8ba2\u5355\u670d\u52a1\u8ba2\u5355\u670d\u52a1\u8ba2\u5355\u670d\u52a1", "x" })
	void anInstanceHasNinetyCharactersAtMostAndAsManyOfTheEndOfTheHostAsFit(String application) {
		String end = "-7d9c5b8f6d-x2x7k";
		for (String host : new String[] { "h".repeat(46) + end, "h".repeat(300) + end, "\u5355".repeat(60) + end }) {
			LockInstance instance = InstanceIdentity.create("3w5e11264sgsf", application, host);
			assertThat(instance.text()).hasSizeLessThanOrEqualTo(90).matches("[A-Za-z0-9._@:-]+");
			assertThat(instance.host()).endsWith(end);
			assertThat(instance.text().length() > 85 || host.equals(instance.host())).isTrue();
			assertThat(application).startsWith(instance.application());
			assertThat(LockInstance.of(instance.text())).isEqualTo(instance);
		}
	}

	@Test
	void aHostOfAnyPodIsWholeBesideAShortApplication() {
		String host = "p".repeat(63);
		assertThat(InstanceIdentity.create("1", "shop", host).host()).isEqualTo(host);
	}

	@ParameterizedTest
	@ValueSource(strings = { "\u8ba2\u5355\u670d\u52a1", "\u0417\u0430\u043a\u0430\u0437\u044b_2",
			"Stra\u00dfe-B\u00fccher", "\u05e9\u05dc\u05d5\u05dd-shop", "\ud842\udfb7" })
	void lettersOfEachLanguageAreShownAgain(String name) {
		LockInstance instance = InstanceIdentity.create("3w5e11264sgsf", name, name);
		assertThat(instance.application()).isEqualTo(name);
		assertThat(instance.host()).isEqualTo(name);
		assertThat(instance.describe()).isEqualTo(name + "@" + name + ":" + PID + " (3w5e11264sgsf)");
		assertThat(instance.text()).matches("([A-Za-z0-9._-]+)@([A-Za-z0-9._-]+):([0-9]{1,10}):([A-Za-z0-9_-]+)");
		assertThat(LockInstance.of(instance.text())).isEqualTo(instance);
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
