package io.github.distlock.testing;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The ports of servers of tests.
 */
class FreePortsTests {

	@Test
	void noPortIsGivenTwice() {
		Set<Integer> given = new HashSet<>();
		for (int i = 0; i < 300; i++) {
			assertThat(given.add(RedisTestServer.freePort())).isTrue();
		}
	}

}
