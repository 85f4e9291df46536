package io.github.distlock.contract;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * The description of a store, and the refusal of what it does not offer.
 */
interface RefusalContract extends ContractTests {

	@Test
	default void theDescriptionIsComplete() {
		assertThat(description().name()).isNotBlank();
		assertThat(description().modes()).contains(LockMode.EXCLUSIVE);
		assertThat(description().modes().contains(LockMode.READ))
			.isEqualTo(description().modes().contains(LockMode.WRITE));
		assertThat(description().tokensPerGrant()).isPositive();
		assertThat(description().batchSize()).isPositive();
		assertThat(description().commandTimeout()).isGreaterThanOrEqualTo(Duration.ZERO);
		assertThat(one().description()).isEqualTo(description());
	}

	@Test
	default void aKeyThatCannotBeLockedIsRefused() {
		LockRegistry registry = one().registry();
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> registry.acquire(LockRequest.of("a\nb")))
			.withMessageContaining("'a?b'");
		assertThat(one().isIdle()).isTrue();
	}

	@Test
	default void aLockWithABlankKeyIsRefused() {
		assumeNoTransaction();
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> one().registry().obtain(" "))
			.withMessageContaining("blank");
		assertThat(one().isIdle()).isTrue();
	}

	@Test
	default void anUnsupportedModeIsRefused() {
		Set<LockMode> others = EnumSet.complementOf(EnumSet.copyOf(description().modes()));
		assumeFalse(others.isEmpty(), () -> "The store '" + description().name() + "' offers all modes");
		for (LockMode mode : others) {
			assertThatExceptionOfType(LockDefinitionException.class)
				.isThrownBy(() -> one().registry().acquire(request().mode(mode)))
				.withMessageContaining(key())
				.withMessageContaining("'" + description().name() + "'")
				.withMessageContaining("use one of");
		}
		assertThat(one().isIdle()).isTrue();
	}

	@Test
	default void permitsAreRefusedIfTheStoreDoesNotSupportThem() {
		assumeFalse(description().permits(), () -> "The store '" + description().name() + "' supports permits");
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> one().registry().acquire(request().permits(2)))
			.withMessageContaining(key())
			.withMessageContaining("'" + description().name() + "'")
			.withMessageContaining("use the store 'redis' or 'local'");
		assertThat(one().isIdle()).isTrue();
	}

	@Test
	default void anUnsupportedOrderIsRefused() {
		assumeFalse(description().fair(), () -> "The store '" + description().name() + "' keeps the order");
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> one().registry().acquire(request().fair(true)))
			.withMessageContaining(key())
			.withMessageContaining("'" + description().name() + "'")
			.withMessageContaining("leave fair out");
		assertThat(one().isIdle()).isTrue();
	}

}
