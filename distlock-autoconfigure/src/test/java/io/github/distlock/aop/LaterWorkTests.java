package io.github.distlock.aop;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.ReactiveLockContext;
import io.github.distlock.registry.BackendLockRegistry;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.EnableAspectJAutoProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests methods that return stages or reactive types, whose work ends later, with one key
 * and with several, with real proxies and a real store.
 */
class LaterWorkTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	@AutoClose
	private static final AnnotationConfigApplicationContext context = LockedApplication
		.of(ReactiveWork.class, Stages.class, Monos.class, Fluxes.class, Moves.class, Watch.class,
				LocalStoreApplication.class)
		.start();

	private final ReactiveWork work = context.getBean(ReactiveWork.class);

	private final Stages stages = context.getBean(Stages.class);

	private final Moves moves = context.getBean(Moves.class);

	private final BackendLockRegistry registry = context.getBean(BackendLockRegistry.class);

	private final CompletableFuture<String> end = new CompletableFuture<>();

	/** ShedLock #5. */
	@Test
	void aMonoIsLockedUntilItsWorkIsDoneAndNotOnlyWhileItIsCreated() throws Exception {
		int before = this.work.entered();
		Mono<String> mono = this.work.mono("mono", Mono.fromFuture(this.end));
		assertThat(this.work.entered()).isEqualTo(before);
		assertThat(isFree("mono")).isTrue();
		CompletableFuture<Boolean> freeWithResult = mono.map((value) -> isFree("mono")).toFuture();
		await().until(() -> this.work.entered() == before + 1);
		assertThat(isFree("mono")).isFalse();
		this.end.complete("done");
		assertThat(freeWithResult.get(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void eachSubscriberCallsTheMethodAnewUnderItsOwnKey() {
		int before = this.work.entered();
		StringBuilder key = new StringBuilder("a");
		Mono<String> mono = this.work.key(key);
		key.append("b");
		assertThat(mono.block(PATIENCE)).isEqualTo("ab");
		key.append("c");
		assertThat(mono.block(PATIENCE)).isEqualTo("abc");
		assertThat(this.work.entered()).isEqualTo(before + 2);
	}

	@Test
	void elementsPassOnRequestAndTheCompletionWaitsForTheRelease() {
		Requests subscriber = new Requests();
		this.work.flux("flux", Flux.range(1, 3)).subscribe(subscriber);
		assertThat(subscriber.received).hasValue(0);
		subscriber.request(2);
		await().untilAtomic(subscriber.received, (value) -> value.equals(2));
		assertThat(isFree("flux")).isFalse();
		assertThat(subscriber.ended).isNotDone();
		subscriber.request(5);
		assertThat(subscriber.ended).succeedsWithin(PATIENCE).isEqualTo(true);
		assertThat(subscriber.received).hasValue(3);
	}

	@ParameterizedTest
	@EnumSource
	void theFailureOfTheWorkIsNotChanged(Kind kind) throws Exception {
		for (Exception thrown : List.of(new IOException("mine"), new LockNotAcquiredException("inner"),
				new IllegalArgumentException("mine"))) {
			CompletableFuture<String> failed = CompletableFuture.failedFuture(thrown);
			assertThat(failure(kind.run("fails", () -> failed))).isSameAs(thrown);
			assertThat(failure(kind.run("fails", () -> failed.thenApply((value) -> value)))).isSameAs(thrown);
			assertThat(failure(kind.run("fails", () -> {
				throw thrown;
			}))).isSameAs(thrown);
			assertThat(thrown.getSuppressed()).isEmpty();
			assertThat(isFree("fails")).isTrue();
		}
		assertThat(failure(kind.run("fails", () -> null))).isInstanceOf(IllegalStateException.class)
			.hasMessageContaining(".run(String, Callable) ")
			.hasMessageContaining(" returned null");
		assertThat(isFree("fails")).isTrue();
	}

	/** Reactor throws such an error at the code that has subscribed. */
	@Test
	void anErrorOfTheJvmReachesTheSubscriberAndEndsTheLock() {
		Error thrown = new NoClassDefFoundError("mine");
		assertThat(failure(this.work.mono("error", Mono.<String>defer(() -> {
			throw thrown;
		})).toFuture())).isSameAs(thrown);
		assertThat(failure(this.work.flux("error", Flux.range(1, 3).doOnNext((element) -> {
			if (element == 2) {
				throw thrown;
			}
		})).collectList().toFuture())).isSameAs(thrown);
		assertThat(isFree("error")).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void aLostLockReplacesTheResultAndIsAddedToAFailure(Kind kind) throws Exception {
		assertThat(failure(kind.run("lost", () -> losing(null)))).isInstanceOf(LockLostException.class);
		IOException thrown = new IOException("mine");
		assertThat(failure(kind.run("lost", () -> losing(thrown)))).isSameAs(thrown);
		assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
	}

	/** Work that ends when its lock is lost, which an operator ends. */
	private CompletableFuture<String> losing(@Nullable Throwable thrown) {
		HeldLock lock = LockContext.current().orElseThrow();
		CompletableFuture<String> result = new CompletableFuture<>();
		lock.onLost(() -> {
			if (thrown != null) {
				result.completeExceptionally(thrown);
			}
			else {
				result.complete("too late");
			}
		});
		this.registry.inspection().end(lock.key(), lock.fencingToken());
		return result;
	}

	@Test
	void theLockIsHeldUntilTheStageIsCompleteAndFreeWhenTheResultIsAvailable() throws Exception {
		CompletableFuture<String> result = begin("until");
		assertThat(isFree("until")).isFalse();
		CompletableFuture<Boolean> freeWithResult = result.thenApply((value) -> isFree("until"));
		this.end.complete("done");
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(freeWithResult.get(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void theCallerDoesNotWaitAndTheBodyOfAStageRunsOnAThreadOfItsOwn() throws Exception {
		CompletableFuture<String> thread = new CompletableFuture<>();
		CompletableFuture<String> result;
		try (HeldLock rival = this.registry.acquire(LockRequest.of("executor"))) {
			result = this.stages.run("executor", () -> {
				thread.complete(Thread.currentThread().getName());
				return this.end;
			});
			assertThat(result).isNotDone();
			assertThat(thread).isNotDone();
			assertThat(rival.isHeld()).isTrue();
		}
		assertThat(thread.get(10, TimeUnit.SECONDS)).startsWith("distlock-work-");
		CompletableFuture<String> dependent = result.thenApply((value) -> Thread.currentThread().getName());
		this.end.complete("done");
		assertThat(dependent.get(10, TimeUnit.SECONDS)).startsWith("distlock-work-");
	}

	@Test
	void cancellingAStageEndsTheWait() throws Exception {
		Callable<CompletableFuture<String>> notCalled = () -> {
			this.end.complete("called");
			return this.end;
		};
		try (HeldLock rival = this.registry.acquire(LockRequest.of("cancel"))) {
			CompletableFuture<String> result = this.stages.run("cancel", notCalled);
			CompletableFuture<String> next = this.stages.run("cancel", notCalled);
			result.cancel(false);
			next.cancel(false);
			assertThat(rival.isHeld()).isTrue();
		}
		await().until(() -> isFree("cancel"));
		assertThat(this.end).isNotDone();
	}

	@Test
	void cancellingAStageDoesNotReleaseTheLockOfRunningWork() throws Exception {
		CompletableFuture<String> result = begin("working");
		assertThat(result.cancel(true)).isTrue();
		assertThat(this.end).isNotDone();
		assertThat(isFree("working")).isFalse();
		this.end.complete("done");
		await().until(() -> isFree("working"));
	}

	@Test
	void theWorkOfAStageRunsUnderItsLockAndThoseOfItsCaller() throws Exception {
		try (HeldLock outer = this.registry.acquire(LockRequest.of("outer"))) {
			LockContext.Scope scope = LockContext.open(outer);
			CompletableFuture<String> result;
			try {
				result = this.stages.run("inner", () -> CompletableFuture
					.completedFuture(String.join(",", LockContext.all().stream().map(HeldLock::key).toList())));
			}
			finally {
				scope.close();
			}
			assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("inner,outer");
		}
	}

	@Test
	void theWorkOfAStageEntersItsOwnLockAgainWithAndWithoutAStage() throws Exception {
		assertThat(this.stages.run("nested", () -> {
			String first = this.moves.blocking("nested");
			return this.stages.run("nested", () -> CompletableFuture.completedFuture(first + " and in a stage"));
		}).get(10, TimeUnit.SECONDS)).isEqualTo("blocking nested and in a stage");
		assertThat(isFree("nested")).isTrue();
	}

	@Test
	void acquiredLocksAreReleasedIfAnotherIsNotAcquired() {
		try (HeldLock rival = this.registry.acquire(LockRequest.of("t2"))) {
			assertThat(failure(this.moves.move("t1", "t2", "t3"))).isInstanceOf(LockNotAcquiredException.class)
				.hasMessageContaining(rival.key());
			assertThat(isFree("t1")).isTrue();
			assertThat(isFree("t3")).isTrue();
		}
	}

	@Test
	void aSubscriptionThatIsCancelledBetweenTwoLocksLeavesNothingLocked() {
		try (HeldLock rival = this.registry.acquire(LockRequest.of("u2"))) {
			Disposable subscription = this.moves.moveLater("u1", "u2").subscribe();
			await().until(() -> !isFree("u1"));
			subscription.dispose();
			await().until(() -> isFree("u1"));
			assertThat(rival.isHeld()).isTrue();
		}
		assertThat(isFree("u2")).isTrue();
	}

	private CompletableFuture<String> begin(String key) throws Exception {
		CountDownLatch entered = new CountDownLatch(1);
		CompletableFuture<String> result = this.stages.run(key, () -> {
			entered.countDown();
			return this.end;
		});
		await().until(() -> entered.getCount() == 0);
		return result;
	}

	@Test
	void cancellingAtAnyMomentLeavesNothingLocked() {
		for (int i = 0; i < 200; i++) {
			Disposable subscription = this.work.mono("moment", Mono.never()).subscribe();
			for (int spin = 0; spin < i * 100; spin++) {
				Thread.onSpinWait();
			}
			subscription.dispose();
		}
		await().until(() -> isFree("moment"));
	}

	@Test
	void cancellingEndsTheWorkAndThenTheLock() {
		Sinks.Many<Integer> source = Sinks.many().unicast().onBackpressureBuffer();
		int before = this.work.entered();
		CompletableFuture<Boolean> freeWhenCancelled = new CompletableFuture<>();
		Disposable subscription = this.work
			.flux("running", source.asFlux().doOnCancel(() -> freeWhenCancelled.complete(isFree("running"))))
			.subscribe();
		await().until(() -> this.work.entered() == before + 1);
		subscription.dispose();
		assertThat(freeWhenCancelled).succeedsWithin(PATIENCE).isEqualTo(false);
		await().until(() -> isFree("running"));
	}

	@Test
	void theLocksTravelInTheContextOfTheSubscriber() {
		assertThat(this.work.current("inner")
			.contextWrite((outer) -> outer.put(LockContext.CONTEXT_KEY,
					List.of(this.registry.acquire(LockRequest.of("outer")))))
			.block(PATIENCE)).containsExactly("inner", "outer");
		assertThat(this.work.body("inner").block(PATIENCE)).isEqualTo("inner");
		assertThat(ReactiveLockContext.current().blockOptional(PATIENCE)).isEmpty();
	}

	@Test
	void theLocksAreThoseOfEachThreadWithAutomaticPropagation() {
		Hooks.enableAutomaticContextPropagation();
		try {
			assertThat(this.work.hopping("hops").block(PATIENCE)).isEqualTo("hops");
		}
		finally {
			Hooks.disableAutomaticContextPropagation();
		}
	}

	@Test
	void theWorkEntersItsOwnLockAgain() {
		assertThat(this.work.nested("nested").block(PATIENCE)).isEqualTo("nested nested");
		assertThat(isFree("nested")).isTrue();
	}

	@Test
	void otherReactiveTypesAreLockedToo() {
		assertThat(this.work.single("single").blockingGet()).isEqualTo("single is free: false");
		assertThat(this.work.flowable("flowable").blockingFirst()).isEqualTo("flowable is free: false");
		assertThat(JdkFlowAdapter.flowPublisherToFlux(this.work.flow("flow")).blockLast(PATIENCE))
			.isEqualTo("flow is free: false");
		await().until(() -> isFree("single") && isFree("flowable") && isFree("flow"));
	}

	@Test
	void adviceInsideOfTheLockFindsItsCall() {
		assertThat(this.work.once("watched").block(PATIENCE)).isEqualTo("watched");
		assertThat(context.getBean(Watch.class).seen).contains("once");
	}

	private boolean isFree(String key) {
		return this.work.isFree(key);
	}

	private static Throwable failure(CompletableFuture<?> result) {
		Throwable thrown = catchThrowable(() -> result.get(10, TimeUnit.SECONDS));
		assertThat(thrown).isInstanceOf(ExecutionException.class);
		return Objects.requireNonNull(thrown.getCause());
	}

	/** What a method returns. */
	enum Kind {

		STAGE, MONO, FLUX;

		CompletableFuture<?> run(String key, Callable<@Nullable CompletableFuture<String>> body) throws Exception {
			return switch (this) {
				case STAGE -> context.getBean(Stages.class).run(key, body);
				case MONO -> context.getBean(Monos.class).run(key, () -> mono(body.call())).toFuture();
				case FLUX -> context.getBean(Fluxes.class)
					.run(key, () -> Optional.ofNullable(mono(body.call())).map(Mono::flux).orElse(null))
					.collectList()
					.toFuture();
			};
		}

		private static @Nullable Mono<String> mono(@Nullable CompletableFuture<String> end) {
			return (end != null) ? Mono.fromFuture(end) : null;
		}

	}

	/** Its subclasses say what the method returns. */
	abstract static class Body<T> {

		@DistributedLock(key = "#key")
		@SuppressWarnings("NullAway")
		T run(String key, Callable<? extends @Nullable T> body) throws Exception {
			return body.call();
		}

	}

	static class Stages extends Body<CompletableFuture<String>> {

	}

	static class Monos extends Body<Mono<String>> {

	}

	static class Fluxes extends Body<Flux<String>> {

	}

	/** Moves several things at once. */
	static class Moves {

		@DistributedLock(key = "#things", waitTime = "200ms")
		public CompletableFuture<String> move(String... things) {
			throw new IllegalStateException("not to be run");
		}

		@DistributedLock(key = "#things", waitTime = "-1")
		public Mono<String> moveLater(String... things) {
			return Mono.just("moved");
		}

		@DistributedLock(key = "#key", waitTime = "0")
		public String blocking(String key) {
			return "blocking " + key;
		}

	}

	static final class Requests extends BaseSubscriber<Integer> {

		final AtomicInteger received = new AtomicInteger();

		final CompletableFuture<Boolean> ended = new CompletableFuture<>();

		@Override
		protected void hookOnSubscribe(Subscription subscription) {
			// Requests no elements yet.
		}

		@Override
		protected void hookOnNext(Integer value) {
			this.received.incrementAndGet();
		}

		@Override
		protected void hookOnComplete() {
			this.ended.complete(context.getBean(ReactiveWork.class).isFree("flux"));
		}

	}

	@Aspect
	@EnableAspectJAutoProxy
	static class Watch {

		volatile String seen = "";

		@Before("execution(* io.github.distlock.aop.ReactiveWork.once(..)) && args(key)")
		void see(JoinPoint call, String key) {
			this.seen = call.getSignature().getName() + key;
		}

	}

}
