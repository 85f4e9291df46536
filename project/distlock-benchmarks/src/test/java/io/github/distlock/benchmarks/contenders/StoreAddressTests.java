package io.github.distlock.benchmarks.contenders;

import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Addresses as a worker is told them.
 */
class StoreAddressTests {

	@Test
	void anAddressIsReadAsItWasWritten() {
		StoreAddress database = StoreAddress.of(Kind.JDBC, "jdbc:postgresql://127.0.0.1:5432/postgres", "postgres", "");
		assertThat(StoreAddress.parse(database.toString())).isEqualTo(database);
		StoreAddress masters = StoreAddress.of(Kind.REDLOCK, "one:1", "two:2", "three:3");
		assertThat(StoreAddress.parse(masters.toString())).isEqualTo(masters);
		assertThat(masters.redis(2)).isEqualTo(new RedisAddress("three", 3));
	}

}
