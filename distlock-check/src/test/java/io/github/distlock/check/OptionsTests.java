package io.github.distlock.check;

import java.time.Duration;
import java.util.List;
import java.util.Properties;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The command line.
 */
class OptionsTests {

	@ParameterizedTest
	@ValueSource(strings = { "redis://locks:hunter2@db1:6379", "redis://:hunter2@db1", "rediss://locks:hun/ter2@db1",
			"redis://locks:hunter2?@db1", "redis:locks:hunter2@db1",
			"jdbc:postgresql://db1/shop?user=shop&password=hunter2", "jdbc:postgresql://shop:hunter2@db1/shop",
			"jdbc:mariadb://db1/shop?sslMode=trust&PASSWORD=hunter2", "jdbc:h2:file:./shop;PASSWORD=hunter2",
			"--password=hunter2", "--spring.datasource.password=hunter2",
			"--spring.data.redis.url=redis://locks:hunter2@db1", "--password" })
	void aPasswordOnTheCommandLineIsRefusedAndNotRepeated(String argument) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Options.parse(List.of("redis://db1", argument, "hunter2")))
			.withMessageContaining("A password is on the command line")
			.withMessageContaining("DISTLOCK_CHECK_PASSWORD")
			.satisfies((refusal) -> assertThat(refusal.getMessage()).doesNotContain("hunter2", "hun/ter2"));
	}

	@Test
	void anOptionThatDoesNotExistForThisServerIsNamed() {
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("redis://db1", "--create")))
			.withMessageContaining("--create");
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("jdbc:h2:mem:a", "--tls")))
			.withMessageContaining("--tls");
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("redis://db1", "--waht=1")))
			.withMessageContaining("--waht");
	}

	@ParameterizedTest
	@ValueSource(strings = { "--distlock.jdbc.table-prefix=prod_", "--distlock.jdbc.tablePrefix=prod_",
			"--distlock.jdbc.TABLE_PREFIX=prod_" })
	void aTableToCreateHasNoOtherPrefixSinceItIsDropped(String prefix) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Options.parse(List.of("jdbc:h2:mem:a", prefix, "--create")))
			.withMessageContaining("leave out --distlock.jdbc.table-prefix");
		assertThat(Options.parse(List.of("jdbc:h2:mem:a", prefix)).values()).hasSize(1);
	}

	@Test
	void withoutAnAddressTheUsageIsShown() {
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("--tls")))
			.withMessageContaining("The address of the server is missing")
			.withMessageContaining("--watch 60s");
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("redis://db1", "redis://db2")))
			.withMessageContaining("two addresses");
	}

	@Test
	void theAddressBecomesPropertiesOfAnApplication() {
		Options options = Options.parse(List.of("rediss://locks@db1:7000/3", "--ca", "ca.pem", "--watch", "90s"));
		Properties properties = options.properties("run", "secret");
		assertThat(options.watch()).isEqualTo(Duration.ofSeconds(90));
		assertThat(properties).containsEntry("check.host", "db1")
			.containsEntry("check.port", "7000")
			.containsEntry("check.database", "3")
			.containsEntry("check.user", "locks")
			.containsEntry("check.ca", "ca.pem")
			.containsEntry("spring.profiles.active", "redis,rediss,ca,watch");
	}

}
