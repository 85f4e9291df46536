package io.github.distlock;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a ticket says of its instance.
 */
class LockInstanceTests {

	@Test
	void theTextOfAnInstanceSaysAllOfIt() {
		LockInstance instance = LockInstance.of("order-service@host-7.example:4711:3w5e11264sgsf");
		assertThat(instance).isEqualTo(new LockInstance("3w5e11264sgsf", "order-service", "host-7.example", 4711L));
		assertThat(instance.text()).isEqualTo("order-service@host-7.example:4711:3w5e11264sgsf");
		assertThat(instance.describe()).isEqualTo("order-service@host-7.example:4711 (3w5e11264sgsf)");
	}

	/** Of stores that another program has written to. */
	@ParameterizedTest
	@ValueSource(strings = { "order_service", "a_.b.c", "a_.bar.c", "_.i6JTVR.", "_.AGE.", "_.AAo.", "_.2D0.",
			"_.ACQAMQ.", "_._._", "xn--" })
	void aNameIsDecodedOnlyIfItHasBeenEncoded(String name) {
		LockInstance instance = LockInstance.of(name + "@" + name + ":1:id");
		assertThat(instance.application()).isEqualTo(name);
		assertThat(instance.host()).isEqualTo(name);
		assertThat(instance.text()).isEqualTo(name + "@" + name + ":1:id");
	}

	@ParameterizedTest
	@ValueSource(strings = { "qOat-hTuVbo", "", "a:b", "shop@host:pid:id", "shop@host:1", "@host:1:id", "shop@:1:id",
			"shop@host:12345678901:id", "shop@host:1:", "sh op@host:1:id", "shop@host:1:id:2" })
	void anyOtherTextIsAnId(String text) {
		LockInstance instance = LockInstance.of(text);
		assertThat(instance).isEqualTo(new LockInstance(text, null, null, null));
		assertThat(instance.text()).isEqualTo(text);
		assertThat(instance.describe()).isEqualTo("instance " + text);
	}

}
