package io.github.distlock.docs.recipes;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.ReactiveLockContext;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Runs the recipe for reactive code without the annotation, on two nodes.
 */
class ReactiveRecipeTests {

	private static final LockRequest STOCK = LockRequest.of("stock-42").waitTime(Duration.ZERO);

	@AutoClose
	private static final RedisTestServer redis = RedisTestServer.start();

	@AutoClose
	private final RecipeNode one = start();

	@AutoClose
	private final RecipeNode two = start();

	private static RecipeNode start() {
		return RecipeNode.start(redis, (context) -> context.registerBean(ReactiveLocks.class), List.of());
	}

	@Test
	void theLockIsHeldFromTheSubscriptionUntilTheWorkHasEnded() throws InterruptedException {
		CountDownLatch running = new CountDownLatch(1);
		Sinks.One<String> work = Sinks.one();
		Mono<String> locked = this.one.bean(ReactiveLocks.class)
			.underLock(STOCK, work.asMono().doOnSubscribe((subscription) -> running.countDown()));
		this.two.lock("stock-42").close();
		CompletableFuture<String> result = locked.toFuture();
		assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.two.bean(ReactiveLocks.class).underLock(STOCK, Mono.just("other")).block());
		work.tryEmitValue("done");
		assertThat(result.join()).isEqualTo("done");
		this.two.lock("stock-42").close();
	}

	@Test
	void theWorkSeesItsLocksInTheirOrder() {
		ReactiveLocks locks = this.one.bean(ReactiveLocks.class);
		Mono<List<String>> keys = Mono.deferContextual(
				(context) -> Mono.just(ReactiveLockContext.all(context).stream().map(HeldLock::key).toList()));
		assertThat(locks.underLock(STOCK, locks.underLock(LockRequest.of("order-7"), keys)).block())
			.containsExactly("order-7", "stock-42");
	}

	@Test
	void workThatFailsReleasesItsLock() {
		Mono<String> failing = this.one.bean(ReactiveLocks.class)
			.underLock(STOCK, Mono.error(new IllegalArgumentException("wrong")));
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(failing::block);
		this.two.lock("stock-42").close();
	}

	@Test
	void aCancelledSubscriptionReleasesItsLock() throws InterruptedException {
		CountDownLatch running = new CountDownLatch(1);
		Mono<String> endless = Mono.<String>never().doOnSubscribe((subscription) -> running.countDown());
		Disposable subscription = this.one.bean(ReactiveLocks.class).underLock(STOCK, endless).subscribe();
		assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
		subscription.dispose();
		awaitFree();
	}

	@Test
	void aCancelledWaitLeavesTheQueue() {
		try (HeldLock lock = this.two.lock("stock-42")) {
			this.one.bean(ReactiveLocks.class)
				.underLock(STOCK.waitTime(Duration.ofMinutes(1)), Mono.just("late"))
				.subscribe()
				.dispose();
		}
		awaitFree();
	}

	@Test
	void aLockThatIsLostIsAnErrorInPlaceOfTheResult() {
		Mono<String> work = ReactiveLockContext.current()
			.doOnNext((lock) -> lock.expireAfter(Duration.ofMillis(100)))
			.flatMap((lock) -> Mono.delay(Duration.ofMillis(10)).repeat(lock::isHeld).then(Mono.just("late")));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.one.bean(ReactiveLocks.class).underLock(STOCK, work).block());
	}

	private void awaitFree() {
		await().until(() -> {
			Optional<HeldLock> lock = this.two.bean(LockRegistry.class).tryAcquire(STOCK);
			lock.ifPresent(HeldLock::close);
			return lock.isPresent();
		});
	}

}
