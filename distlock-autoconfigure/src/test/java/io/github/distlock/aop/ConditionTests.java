package io.github.distlock.aop;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests conditions of locks.
 */
class ConditionTests {

	@AutoClose
	private final AnnotationConfigApplicationContext context = LockedApplication.of(Stock.class)
		.with("limit", 10)
		.start();

	private final Stock stock = this.context.getBean(Stock.class);

	private final InMemoryLocks locks = this.context.getBean(InMemoryLocks.class);

	@Test
	void theLockIsTakenWhenTheConditionHolds() {
		assertThat(this.stock.sell("a", 11)).isTrue();
		assertThat(this.locks.events).containsExactly("acquire a", "release a");
	}

	@Test
	void theMethodRunsWithoutItsLockWhenTheConditionDoesNotHold() {
		this.locks.taken.add("a");
		assertThat(this.stock.sell("a", 10)).isFalse();
		assertThat(this.locks.requests).isEmpty();
	}

	@Test
	void theKeyIsNotEvaluatedWhenNoLockIsNeeded() {
		assertThat(this.stock.sell(null, 10)).isFalse();
	}

	@Test
	void aConditionThatIsNeitherTrueNorFalseIsRefused() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> this.stock.odd("yes"))
			.withMessage("@DistributedLock(condition = \"#flag\") on " + Stock.class.getName()
					+ ".odd(Object) evaluated to an instance of java.lang.String, which is neither true nor false: "
					+ "compare it with something, as in #amount > 10 or #id != null");
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> this.stock.odd(null))
			.withMessageContaining("evaluated to null");
		assertThat(this.stock.odd(true)).isEqualTo("ran");
	}

	@Test
	void aConditionThatCannotBeEvaluatedIsRefused() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> this.stock.property("text"))
			.withMessageContaining("@DistributedLock(condition = \"#order.paid\")")
			.withMessageContaining("cannot be evaluated");
	}

	static class Stock {

		@DistributedLock(key = "#id", condition = "#amount > ${limit}")
		boolean sell(@Nullable String id, int amount) {
			return LockContext.current().isPresent();
		}

		@DistributedLock(key = "'k'", condition = "#flag")
		String odd(@Nullable Object flag) {
			return "ran";
		}

		@DistributedLock(key = "'k'", condition = "#order.paid")
		void property(Object order) {
		}

	}

}
