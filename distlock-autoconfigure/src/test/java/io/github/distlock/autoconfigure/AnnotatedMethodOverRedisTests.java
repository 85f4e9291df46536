package io.github.distlock.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.testing.RedisNodes;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * End to end: two applications, one annotated method, one real Redis.
 */
class AnnotatedMethodOverRedisTests {

	@AutoClose
	private static final RedisNodes redis = RedisNodes.start();

	private ConfigurableApplicationContext first;

	private ConfigurableApplicationContext second;

	private ExecutorService threads;

	@BeforeEach
	void startApplications() {
		redis.flush();
		this.first = application();
		this.second = application();
		this.threads = Executors.newCachedThreadPool();
	}

	@AfterEach
	void stopApplications() {
		this.threads.shutdownNow();
		this.first.close();
		this.second.close();
	}

	private static ConfigurableApplicationContext application() {
		SpringApplication application = new SpringApplication(Shop.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		return application.run("--spring.data.redis.port=" + redis.server().port(), "--distlock.lease-time=900ms");
	}

	private static Till till(ConfigurableApplicationContext application) {
		return application.getBean(Till.class);
	}

	@Test
	void theMethodRunsUnderMutualExclusionAcrossApplications() throws Exception {
		int[] unguarded = new int[1];
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		List<Future<?>> workers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			Till till = till((i % 2 == 0) ? this.first : this.second);
			workers.add(this.threads.submit(() -> {
				for (int n = 0; n < 50; n++) {
					till.run("counter", () -> {
						if (inside.incrementAndGet() > 1) {
							overlaps.incrementAndGet();
						}
						unguarded[0]++;
						inside.decrementAndGet();
					});
				}
			}));
		}
		for (Future<?> worker : workers) {
			worker.get(60, TimeUnit.SECONDS);
		}
		assertThat(overlaps).hasValue(0);
		assertThat(unguarded[0]).isEqualTo(400);
	}

	@Test
	void aMethodThatOutlivesItsLeaseFails() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> till(this.first).brief("brief", () -> {
			long token = LockContext.current().orElseThrow().fencingToken();
			till(this.second).run("brief", () -> assertThat(LockContext.current())
				.hasValueSatisfying((next) -> assertThat(next.fencingToken()).isGreaterThan(token)));
		}));
	}

	@Test
	void anExceptionOfTheMethodIsUnchangedWhateverTheReleaseDoes() {
		for (Runnable trouble : List.<Runnable>of(() -> {
		}, redis::flush, AnnotatedMethodOverRedisTests::outliveTheLease, () -> Thread.currentThread().interrupt())) {
			IllegalStateException own = new IllegalStateException("mine");
			Throwable thrown = catchThrowable(() -> till(this.first).brief("own", () -> {
				trouble.run();
				throw own;
			}));
			Thread.interrupted();
			assertThat(thrown).isSameAs(own);
		}
		till(this.second).run("own", () -> {
		});
	}

	private static void outliveTheLease() {
		HeldLock lock = LockContext.current().orElseThrow();
		Awaitility.await().until(() -> !lock.isHeld());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
	static class Shop {

		@Bean
		Till till() {
			return new Till();
		}

	}

	/**
	 * Service as a user writes it.
	 */
	static class Till {

		@DistributedLock(key = "#key", waitTime = "20s")
		public void run(@Nullable String key, Runnable work) {
			work.run();
		}

		@DistributedLock(key = "#key", waitTime = "20s", leaseTime = "300ms")
		public void brief(String key, Runnable work) {
			work.run();
		}

	}

}
