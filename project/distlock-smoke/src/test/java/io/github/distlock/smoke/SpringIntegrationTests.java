package io.github.distlock.smoke;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Leaders with the version of Spring Integration that belongs to this line of Spring
 * Boot.
 */
class SpringIntegrationTests {

	@Test
	void thereIsOneLeaderAndAnotherOneWhenItStops() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off")
			.run("--distlock.backend=local", "--distlock.jdbc.enabled=false", "--distlock.zookeeper.enabled=false")) {
			LockRegistryLeaderInitiator first = initiator(context);
			first.start();
			await().atMost(Duration.ofMinutes(5)).until(() -> first.getContext().isLeader());
			LockRegistryLeaderInitiator second = initiator(context);
			second.start();
			assertThat(second.getContext().isLeader()).isFalse();
			first.stop();
			await().atMost(Duration.ofMinutes(5)).until(() -> second.getContext().isLeader());
			assertThat(first.getContext().isLeader()).isFalse();
			second.stop();
		}
	}

	private static LockRegistryLeaderInitiator initiator(ConfigurableApplicationContext context) {
		return new LockRegistryLeaderInitiator(context.getBean(LockRegistry.class),
				new DefaultCandidate("node", "order-import"));
	}

	@EnableAutoConfiguration
	static class Application {

	}

}
