package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.OnFailure;
import io.github.distlock.testing.RedisNodes;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
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

	private static RedisNodes redis;

	private ConfigurableApplicationContext first;

	private ConfigurableApplicationContext second;

	private ExecutorService threads;

	@BeforeAll
	static void startRedis() {
		redis = RedisNodes.start();
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

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
	void twoKeysDoNotBlockEachOther() {
		till(this.first).run("{x}", () -> till(this.second).run("}x",
				() -> till(this.first).run("{}", () -> till(this.second).run("a:queue", () -> till(this.first).run("a",
						() -> till(this.second).run("\u9396", () -> assertThat(redis.keys()).isEqualTo(6)))))));
	}

	@Test
	void anInvalidKeyIsRefusedAtTheCall() {
		Till till = till(this.first);
		for (String key : new String[] { null, "", " ", "x".repeat(10_240) }) {
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> till.run(key, () -> {
			}));
		}
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> till.runFor(new Object()));
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> till.runFor(null));
		assertThat(redis.keys()).isZero();
	}

	@Test
	void aCallerThatDoesNotGetTheLockFailsOrSkips() throws Exception {
		CountDownLatch inside = new CountDownLatch(1);
		CountDownLatch leave = new CountDownLatch(1);
		Future<?> holder = this.threads.submit(() -> till(this.first).run("busy", () -> {
			inside.countDown();
			awaitQuietly(leave);
		}));
		assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> till(this.second).runOnce("busy"))
			.withMessageContaining("busy");
		assertThat(till(this.second).skip("busy")).isEmpty();
		leave.countDown();
		holder.get(10, TimeUnit.SECONDS);
		assertThat(till(this.second).skip("busy")).contains("ran");
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

	@Test
	void theWatchdogRenewsTheLockOfALongMethod() {
		till(this.first).run("long", () -> {
			Awaitility.await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
			assertThat(LockContext.current().orElseThrow().isHeld()).isTrue();
			assertThat(till(this.second).skip("long")).isEmpty();
		});
	}

	private static void outliveTheLease() {
		HeldLock lock = LockContext.current().orElseThrow();
		Awaitility.await().until(() -> !lock.isHeld());
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
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

		@DistributedLock(key = "'of-' + #thing", waitTime = "1s")
		public void runFor(@Nullable Object thing) {
		}

		@DistributedLock(key = "#a0", waitTime = "0")
		public void runOnce(String key) {
		}

		@DistributedLock(key = "#key", waitTime = "50ms", onFailure = OnFailure.SKIP)
		public Optional<String> skip(String key) {
			return Optional.of("ran");
		}

		@DistributedLock(key = "#key", waitTime = "20s", leaseTime = "300ms")
		public void brief(String key, Runnable work) {
			work.run();
		}

	}

}
