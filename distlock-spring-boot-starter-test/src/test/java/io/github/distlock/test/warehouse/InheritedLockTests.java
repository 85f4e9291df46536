package io.github.distlock.test.warehouse;

import io.github.distlock.test.DistlockTest;
import io.github.distlock.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The test slice starts components whose locked method is inherited or declared by an
 * interface.
 */
@DistlockTest
class InheritedLockTests {

	@Autowired
	private ApplicationContext context;

	@Autowired
	private TestLocks locks;

	@Test
	void componentsWithInheritedLocksAreStartedAndOthersAreNot() {
		this.context.getBean(Picking.class).pick();
		this.context.getBean(LockedTypes.PackingApi.class).pack();
		this.context.getBean(Counting.class).count();
		assertThat(this.locks.keys()).containsExactly("picking", "packing", "counting");
		assertThat(this.context.getBeanNamesForType(Cleaning.class)).isEmpty();
	}

}
