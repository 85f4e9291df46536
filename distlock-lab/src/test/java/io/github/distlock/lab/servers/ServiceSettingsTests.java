package io.github.distlock.lab.servers;

import java.util.Map;
import java.util.Properties;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the services are told, and when the embedded servers stay away.
 */
class ServiceSettingsTests {

	private final Properties system = new Properties();

	@Test
	void withoutSettingsNothingIsTheUsers() {
		ServiceSettings settings = settings(Map.of(), Map.of("PATH", "/bin"));
		assertThat(settings.hasRedis()).isFalse();
		assertThat(settings.hasDatabase()).isFalse();
		assertThat(settings.variables()).isEmpty();
	}

	@Test
	void anArgumentNamesARedis() {
		ServiceSettings settings = settings(Map.of("spring.data.redis.host", "cache"), Map.of());
		assertThat(settings.hasRedis()).isTrue();
		assertThat(settings.hasDatabase()).isFalse();
		assertThat(settings.variables()).containsExactly(Map.entry("SPRING_DATA_REDIS_HOST", "cache"));
	}

	@Test
	void sentinelsAndClustersCountAsARedis() {
		assertThat(settings(Map.of("spring.data.redis.sentinel.nodes[0]", "a:1"), Map.of()).hasRedis()).isTrue();
		assertThat(settings(Map.of("spring.data.redis.cluster.nodes", "a:1"), Map.of()).hasRedis()).isTrue();
	}

	@Test
	void aTimeoutIsNotARedis() {
		assertThat(settings(Map.of("spring.data.redis.timeout", "1s"), Map.of()).hasRedis()).isFalse();
	}

	@Test
	void aSystemPropertyNamesADatabase() {
		this.system.setProperty("spring.datasource.url", "jdbc:postgresql://db/shop");
		this.system.setProperty("user.name", "nobody");
		ServiceSettings settings = settings(Map.of(), Map.of());
		assertThat(settings.hasDatabase()).isTrue();
		assertThat(settings.variables())
			.containsExactly(Map.entry("SPRING_DATASOURCE_URL", "jdbc:postgresql://db/shop"));
	}

	@Test
	void theEnvironmentNamesBothAndIsNotRepeated() {
		ServiceSettings settings = settings(Map.of(),
				Map.of("SPRING_DATA_REDIS_URL", "redis://cache", "SPRING_DATASOURCE_URL", "jdbc:h2:mem:x"));
		assertThat(settings.hasRedis()).isTrue();
		assertThat(settings.hasDatabase()).isTrue();
		assertThat(settings.variables()).isEmpty();
	}

	@Test
	void anArgumentWinsOverASystemProperty() {
		this.system.setProperty("distlock.lease-time", "1s");
		assertThat(settings(Map.of("distlock.lease-time", "2s"), Map.of()).variables())
			.containsExactly(Map.entry("DISTLOCK_LEASETIME", "2s"));
	}

	@Test
	void whatTheUserHasSetStays() {
		ServiceSettings settings = settings(Map.of("distlock.lease-time", "3s"), Map.of("SAMPLE_NODE_LEASE", "4s"));
		settings.putIfAbsent("distlock.lease-time", "2s");
		settings.putIfAbsent("sample.node.lease", "2s");
		settings.putIfAbsent("sample.node.give-up-after", "6s");
		assertThat(settings.variables()).containsOnly(Map.entry("DISTLOCK_LEASETIME", "3s"),
				Map.entry("SAMPLE_NODE_GIVEUPAFTER", "6s"));
	}

	@Test
	void whatIsSetIsKnown() {
		ServiceSettings settings = settings(Map.of("distlock.jdbc.mode", "lease"), Map.of());
		assertThat(settings.contain(Map.of())).isTrue();
		assertThat(settings.contain(Map.of("distlock.jdbc.mode", "lease"))).isTrue();
		assertThat(settings.contain(Map.of("distlock.jdbc.mode", "connection"))).isFalse();
		assertThat(settings.contain(Map.of("distlock.jdbc.enabled", "true"))).isFalse();
	}

	private ServiceSettings settings(Map<String, String> arguments, Map<String, String> environment) {
		return new ServiceSettings(arguments, this.system, environment);
	}

}
