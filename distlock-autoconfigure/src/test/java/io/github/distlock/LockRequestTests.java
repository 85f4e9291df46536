package io.github.distlock;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Requests, and what a ticket says of its instance.
 */
class LockRequestTests {

	private static final LockRequest STOCK = LockRequest.of("stock-42");

	@Test
	void aChangedCopyHasAllOtherValues() {
		LockRequest all = STOCK.mode(LockMode.READ)
			.waitTime(LockRequest.FOREVER)
			.leaseTime(Duration.ofSeconds(9))
			.fair(true)
			.name("stock")
			.minHold(Duration.ofSeconds(3))
			.maxWaiting(4)
			.permits(5)
			.prefixed((key) -> "shop");
		assertThat(all).isEqualTo(new LockRequest("shop:stock-42", LockMode.READ, Duration.ofSeconds(-1),
				Duration.ofSeconds(9), true, "stock", Duration.ofSeconds(3), 4, 5, true));
		assertThat(all.key("other")).isEqualTo(new LockRequest("other", LockMode.READ, Duration.ofSeconds(-1),
				Duration.ofSeconds(9), true, "stock", Duration.ofSeconds(3), 4, 5, false));
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT-5S", "PT-0.001S", "PT-1.5S" })
	void onlyForeverIsANegativeWaitTime(Duration waitTime) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> STOCK.waitTime(waitTime))
			.withMessage("The wait time of lock 'stock-42' is " + waitTime
					+ ": use a positive duration, Duration.ZERO to try once, or LockRequest.FOREVER to wait without a limit");
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "WRITE" })
	void permitsDoNotFitAModeThatAllowsOneHolder(LockMode mode) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> STOCK.permits(2).mode(mode))
			.withMessageContaining("with 2 permits in mode " + mode + ", which allows one holder: leave out");
		assertThat(STOCK.permits(2).mode(LockMode.READ)).isEqualTo(STOCK.permits(2));
	}

	@Test
	@SuppressWarnings("NullAway")
	void whatIsNullIsNamed() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of(null))
			.withMessage("The key of a lock is null: pass a text that names what to lock");
		assertThatIllegalArgumentException().isThrownBy(() -> STOCK.name(null)).withMessageContaining("name of a lock");
		assertThatIllegalArgumentException().isThrownBy(() -> STOCK.mode(null)).withMessageContaining("mode of a lock");
	}

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
