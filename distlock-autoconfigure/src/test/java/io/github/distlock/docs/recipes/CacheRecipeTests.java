package io.github.distlock.docs.recipes;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.docs.examples.ExampleTypes.Price;
import io.github.distlock.docs.examples.ExampleTypes.PriceService;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.Test;

import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * Runs the recipe of a cache that is filled once, with two nodes and a cache in Redis.
 */
class CacheRecipeTests {

	private static final int CALLERS = 8;

	private final AtomicInteger loads = new AtomicInteger();

	private final PriceService prices = mock(PriceService.class);

	@Test
	void allNodesTogetherLoadAPriceOnce() throws Exception {
		ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
		try (RedisTestServer redis = RedisTestServer.start();
				RecipeNode one = start(redis, "5s");
				RecipeNode two = start(redis, "5s")) {
			CountDownLatch start = new CountDownLatch(CALLERS);
			willAnswer((call) -> {
				this.loads.incrementAndGet();
				// Until all callers have missed the cache.
				TimeUnit.MILLISECONDS.sleep(300);
				return new Price("42", BigDecimal.TEN);
			}).given(this.prices).read("42");
			List<CompletableFuture<BigDecimal>> answers = new ArrayList<>();
			for (int i = 0; i < CALLERS; i++) {
				RecipeNode node = (i % 2 == 0) ? one : two;
				answers.add(CompletableFuture.supplyAsync(() -> {
					start.countDown();
					await(start);
					return node.call("price", "42");
				}, callers));
			}
			assertThat(answers)
				.allSatisfy((answer) -> assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualByComparingTo("10"));
			assertThat(this.loads).hasValue(1);
		}
		finally {
			callers.shutdownNow();
		}
	}

	@Test
	void aLockStoreThatIsDownDoesNotPreventTheAnswer() {
		given(this.prices.read("42")).willReturn(new Price("42", BigDecimal.TEN));
		RedisTestServer redis = RedisTestServer.start();
		try (RecipeNode node = start(redis, "5s")) {
			redis.close();
			assertThat(node.<BigDecimal>call("load", "42")).isEqualByComparingTo("10");
		}
	}

	private RecipeNode start(RedisTestServer redis, String timeout) {
		return RecipeNode.start(redis, (context) -> context.registerBean(PriceService.class, () -> this.prices),
				List.of("distlock.backend-timeout=" + timeout, "distlock.redis.command-timeout=" + timeout),
				RecipeNode.code("CachedPrices"), RecipeNode.code("PriceLoader"), Caching.class);
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Caching {

		@Bean
		CacheManager cacheManager(RedisConnectionFactory connections) {
			return RedisCacheManager.create(connections);
		}

	}

}
