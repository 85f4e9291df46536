package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockListener;
import io.github.distlock.LossCause;
import io.github.distlock.testing.RedisNodes;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * With {@code distlock.release=background}, annotated methods of every kind return their
 * results although the store has lost the lock, and listeners and meters learn of it.
 */
class BackgroundReleaseOfMethodsTests {

	private static RedisNodes redis;

	private static ConfigurableApplicationContext application;

	@BeforeAll
	static void start() {
		redis = RedisNodes.start();
		application = application();
	}

	@AfterAll
	static void stop() {
		application.close();
		redis.close();
	}

	@Test
	void aMethodReturnsItsResultAndTheLossIsReportedLater() {
		assertThat(stock().count("blocking")).isEqualTo("blocking");
		assertLossIsReported("blocking");
	}

	@Test
	void aCompletionStageCompletesWithItsResultAndTheLossIsReportedLater() {
		assertThat(stock().countLater("stage").toCompletableFuture().join()).isEqualTo("stage");
		assertLossIsReported("stage");
	}

	@Test
	void aMonoCompletesWithItsResultAndTheLossIsReportedLater() {
		assertThat(stock().countReactively("mono").block(Duration.ofSeconds(20))).isEqualTo("mono");
		assertLossIsReported("mono");
	}

	private static void assertLossIsReported(String key) {
		Losses losses = application.getBean(Losses.class);
		await().until(() -> losses.events.stream().anyMatch((event) -> event.key().equals(key)));
		assertThat(losses.events).filteredOn((event) -> event.key().equals(key)).singleElement().satisfies((event) -> {
			assertThat(event.released()).isTrue();
			assertThat(event.lossCause()).isEqualTo(LossCause.FORGOTTEN);
			MeterRegistry meters = application.getBean(MeterRegistry.class);
			await().until(() -> meters.get("distlock.lost").tag("name", event.name()).counter().count() == 1);
		});
	}

	private static Stock stock() {
		return application.getBean(Stock.class);
	}

	private static ConfigurableApplicationContext application() {
		SpringApplication springApplication = new SpringApplication(Shop.class);
		springApplication.setWebApplicationType(WebApplicationType.NONE);
		return springApplication.run("--spring.data.redis.port=" + redis.server().port(),
				"--distlock.release=background");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
	static class Shop {

		@Bean
		Stock stock() {
			return new Stock();
		}

		@Bean
		Losses losses() {
			return new Losses();
		}

		@Bean
		MeterRegistry meters() {
			return new SimpleMeterRegistry();
		}

	}

	/** A service whose locks are lost while its methods run. */
	static class Stock {

		@DistributedLock(key = "#key")
		public String count(String key) {
			redis.flush();
			return key;
		}

		@DistributedLock(key = "#key")
		public CompletionStage<String> countLater(String key) {
			redis.flush();
			return CompletableFuture.completedFuture(key);
		}

		@DistributedLock(key = "#key")
		public Mono<String> countReactively(String key) {
			return Mono.fromSupplier(() -> {
				redis.flush();
				return key;
			});
		}

	}

	/** Records the losses. */
	static final class Losses implements LockListener {

		private final Queue<Lost> events = new ConcurrentLinkedQueue<>();

		@Override
		public void onLost(Lost event) {
			this.events.add(event);
		}

	}

}
