package io.github.distlock.lab.servers;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which stores a node can have at the same time.
 */
class StoreTests {

	@Test
	void ofTwoThatExcludeEachOtherTheFirstIsThereFromTheBeginning() {
		assertThat(
				Store.together(List.of(Store.NONE, Store.REDLOCK, Store.JDBC_LEASE, Store.JDBC_CONNECTION, Store.NONE)))
			.containsExactly(Store.NONE, Store.REDLOCK, Store.JDBC_LEASE);
		assertThat(Store.together(List.of(Store.JDBC_CONNECTION, Store.JDBC_LEASE, Store.LOCAL)))
			.containsExactly(Store.JDBC_CONNECTION, Store.LOCAL);
	}

}
