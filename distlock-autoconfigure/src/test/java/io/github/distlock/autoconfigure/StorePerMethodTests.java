package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Methods of one application that are locked in different stores.
 */
class StorePerMethodTests {

	private static RedisTestServer redis;

	private ApplicationContextRunner application;

	@BeforeAll
	static void startRedis() {
		redis = RedisTestServer.start();
	}

	@BeforeEach
	void setUp() {
		this.application = Contexts.withRedis()
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port());
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@Test
	void eachMethodIsLockedInTheStoreItNames() {
		this.application.withPropertyValues("distlock.local.enabled=true", "distlock.composite=redis,local")
			.withBean(Shop.class)
			.run((context) -> {
				Shop shop = context.getBean(Shop.class);
				assertThat(shop.byDefault()).isEqualTo("redis");
				assertThat(shop.local()).isEqualTo("local");
				assertThat(shop.both()).isEqualTo("local redis");
			});
	}

	@Test
	void anUnknownRegistryFailsTheStartupAndNamesTheEnabledOnes() {
		this.application.withPropertyValues("distlock.redis.enabled=true")
			.withBean(Shop.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("@DistributedLock(registry = \"")
				.hasMessageContaining("write one of \"redis\", enable the store with distlock.<store>.enabled=true"));
	}

	@Test
	void aFairLockInAStoreWithoutOrderFailsTheStartup() {
		ApplicationContextRunner withoutOrder = this.application.withBean("heapLockBackend", LockBackend.class,
				StorePerMethodTests::backendWithoutOrder);
		withoutOrder.withBean(FairShop.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("@DistributedLock(fair = true)")
				.hasMessageContaining("is not offered by the store 'heap'"));
		withoutOrder.withPropertyValues("distlock.composite=redis,heap", "distlock.backend=composite")
			.withBean(FairShop.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("is not offered by the store 'composite'"));
		this.application.withBean(FairShop.class).run((context) -> assertThat(context).hasNotFailed());
	}

	private static LockBackend backendWithoutOrder() {
		BackendDescription description = new BackendDescription("heap", Set.of(LockMode.EXCLUSIVE), false, true, 1,
				Duration.ZERO, 1);
		LockStore store = mock(LockStore.class);
		given(store.description()).willReturn(description);
		LockBackend backend = mock(LockBackend.class);
		given(backend.description()).willReturn(description);
		given(backend.open(any())).willReturn(store);
		return backend;
	}

	/** Public, since a proxy may be defined by another class loader. */
	public static class Shop {

		private final Map<String, LockRegistry> registries;

		public Shop(Map<String, LockRegistry> registries) {
			this.registries = registries;
		}

		@DistributedLock("'order-1'")
		public String byDefault() {
			return whereItIsHeld();
		}

		@DistributedLock(key = "'order-1'", registry = "local")
		public String local() {
			return whereItIsHeld();
		}

		@DistributedLock(key = "'order-1'", registry = "composite")
		public String both() {
			return whereItIsHeld();
		}

		/** Acquires asynchronously, so that no thread re-enters its own lock. */
		private String whereItIsHeld() {
			Set<String> held = new TreeSet<>();
			for (String store : Set.of("redis", "local")) {
				LockRegistry registry = Objects
					.requireNonNull(this.registries.get("distlock" + StringUtils.capitalize(store) + "LockRegistry"));
				registry.acquireAsync(LockRequest.of("order-1").waitTime(Duration.ZERO))
					.handle((lock, failure) -> (lock != null) ? close(lock) : held.add(store))
					.join();
			}
			return String.join(" ", held);
		}

		private static boolean close(HeldLock lock) {
			lock.close();
			return false;
		}

	}

	public static class FairShop {

		@DistributedLock(fair = true)
		public void sell() {
		}

	}

}
