package io.github.distlock.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Property values that are durations without a unit.
 */
class BareNumberTests {

	private static final List<Class<?>> TYPES = List.of(DistlockProperties.class, RedisStoreProperties.class,
			RedlockStoreProperties.class, JdbcStoreProperties.class, ZooKeeperStoreProperties.class);

	private final ApplicationContextRunner application = Contexts.withoutRedis()
		.withPropertyValues("distlock.backend=local");

	@Test
	void allDurationsAreFound() {
		assertThat(durations()).contains("distlock.wait-time", "distlock.handoff.max-time",
				"distlock.transaction.commit-margin", "distlock.redlock.node-timeout",
				"distlock.zookeeper.session-timeout", "distlock.jdbc.poll-interval", "distlock.redis.command-timeout");
	}

	@ParameterizedTest
	@MethodSource("durations")
	void aNumberWithoutAUnitIsRefusedAtStartup(String property) {
		this.application.withUserConfiguration(All.class)
			.withPropertyValues(property + "=2000")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(StartUpException.class)
				.hasMessage(
						"Property '" + property + "' is '2000': it has no unit and would be read as 2000 milliseconds."
								+ " Write a number with a unit, such as 2000ms or 2000s."));
	}

	@ParameterizedTest
	@CsvSource({ "distlock.wait-time, 0", "distlock.wait-time, -1", "distlock.wait-time, 2s",
			"distlock.wait-time, PT2S", "distlock.shutdown-grace-period, 0", "distlock.handoff.max-time, 0",
			"distlock.transaction.commit-margin, 0", "distlock.max-hold-time, ''" })
	void valuesWithAUnitAndValuesThatNeedNoneAreAccepted(String property, String value) {
		this.application.withPropertyValues(property + "=" + value)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void otherPropertiesAreNotAffected() {
		this.application.withUserConfiguration(Others.class)
			.withPropertyValues("shop.patience=2000")
			.run((context) -> assertThat(context.getBean(Shop.class).patience()).isEqualTo(Duration.ofSeconds(2)));
	}

	static Stream<String> durations() {
		return TYPES.stream()
			.flatMap((type) -> durations(type, type.getAnnotation(ConfigurationProperties.class).value()));
	}

	private static Stream<String> durations(Class<?> type, String prefix) {
		return Arrays.stream(type.getRecordComponents()).flatMap((component) -> durations(component, prefix));
	}

	private static Stream<String> durations(RecordComponent component, String prefix) {
		String name = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
		if (component.getType() == Duration.class) {
			return Stream.of(name);
		}
		return component.getType().isRecord() ? durations(component.getType(), name) : Stream.empty();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties({ RedisStoreProperties.class, RedlockStoreProperties.class,
			JdbcStoreProperties.class, ZooKeeperStoreProperties.class })
	static class All {

	}

	@ConfigurationProperties("shop")
	record Shop(Duration patience) {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(Shop.class)
	static class Others {

	}

}
