package io.github.distlock.docs;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The figures of {@code docs/deployments.md} fit together: a pod lives long enough for
 * the time-outs of its application.
 */
class DeploymentPageTests {

	private static final String PAGE = "docs/deployments.md";

	private static final String CONTAINER = "spec.containers[0].";

	private final Properties application = properties("");

	private final Properties pod = properties("kubernetes");

	@Test
	void thePodLivesAsLongAsTheStopOfItsApplicationMayTake() {
		Duration phase = duration("spring.lifecycle.timeout-per-shutdown-phase");
		assertThat(seconds("spec.terminationGracePeriodSeconds"))
			.isGreaterThanOrEqualTo(seconds(CONTAINER + "lifecycle.preStop.sleep.seconds").plus(phase)
				.plus(phase)
				.plus(duration("distlock.shutdown-grace-period")));
	}

	@Test
	void aRequestThatWaitsForALockEndsBeforeTheWebServer() {
		assertThat(duration("distlock.wait-time")).isLessThan(duration("spring.lifecycle.timeout-per-shutdown-phase"));
	}

	@Test
	void theLivenessProbeAsksForTheGroupWithoutTheStore() {
		assertThat(value(this.pod, CONTAINER + "livenessProbe.httpGet.path")).isEqualTo("/actuator/health/liveness");
		assertThat(this.application.stringPropertyNames()).noneMatch((name) -> name.contains("group.liveness"));
	}

	private Duration seconds(String name) {
		return Duration.ofSeconds(Long.parseLong(value(this.pod, name)));
	}

	private Duration duration(String name) {
		return DurationStyle.detectAndParse(value(this.application, name));
	}

	private static String value(Properties properties, String name) {
		return Objects.requireNonNull(properties.get(name), name).toString();
	}

	private static Properties properties(String mark) {
		String text = Pages.blocks(PAGE, Pages.text(PAGE))
			.stream()
			.filter((block) -> block.language().equals("yaml") && String.join(" ", block.marks()).equals(mark))
			.map(CodeBlock::text)
			.findFirst()
			.orElseThrow();
		YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
		yaml.setResources(new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)));
		return Objects.requireNonNull(yaml.getObject());
	}

}
