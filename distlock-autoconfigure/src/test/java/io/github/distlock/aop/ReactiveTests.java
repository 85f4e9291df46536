package io.github.distlock.aop;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.ReactiveLockContext;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
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
 * Tests methods that return reactive types, with real proxies and a real store.
 */
class ReactiveTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	@AutoClose
	private static final AnnotationConfigApplicationContext context = LockedApplication
		.of(ReactiveWork.class, Watch.class, LocalStoreApplication.class)
		.start();

	private final ReactiveWork work = context.getBean(ReactiveWork.class);

	private final LockRegistry registry = context.getBean("localLocks", LockRegistry.class);

	private final Sinks.One<String> end = Sinks.one();

	/** ShedLock #5. */
	@Test
	void aMonoIsLockedUntilItsWorkIsDoneAndNotOnlyWhileItIsCreated() throws Exception {
		int before = this.work.entered();
		Mono<String> mono = this.work.mono("mono", this.end.asMono());
		assertThat(this.work.entered()).isEqualTo(before);
		assertThat(isFree("mono")).isTrue();
		CompletableFuture<Boolean> freeWithResult = mono.map((value) -> isFree("mono")).toFuture();
		await().until(() -> this.work.entered() == before + 1);
		assertThat(isFree("mono")).isFalse();
		this.end.tryEmitValue("done");
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

	@Test
	void theFailureOfTheWorkIsNotChanged() {
		IOException thrown = new IOException("mine");
		assertThat(failure(this.work.mono("fails", Mono.error(thrown)))).isSameAs(thrown);
		assertThat(failure(this.work.flux("fails", Flux.error(thrown)))).isSameAs(thrown);
		IllegalArgumentException unchecked = new IllegalArgumentException("mine");
		assertThat(failure(this.work.throwing("fails", unchecked))).isSameAs(unchecked);
		assertThat(thrown.getSuppressed()).isEmpty();
		assertThat(failure(Objects.requireNonNull(this.work.nothing("fails"))))
			.isInstanceOf(IllegalStateException.class)
			.hasMessageContaining("ReactiveWork.nothing(String) returned null");
		assertThat(isFree("fails")).isTrue();
	}

	/** Reactor throws such an error at the code that has subscribed. */
	@Test
	void anErrorOfTheJvmReachesTheSubscriberAndEndsTheLock() {
		Error thrown = new NoClassDefFoundError("mine");
		assertThat(failure(this.work.mono("error", Mono.defer(() -> {
			throw thrown;
		})))).isSameAs(thrown);
		assertThat(failure(this.work.flux("error", Flux.range(1, 3).doOnNext((element) -> {
			if (element == 2) {
				throw thrown;
			}
		})))).isSameAs(thrown);
		assertThat(isFree("error")).isTrue();
	}

	@Test
	void aLostLockReplacesTheResultAndIsAddedToAFailure() {
		assertThat(failure(this.work.brief("lost", null))).isInstanceOf(LockLostException.class);
		IOException thrown = new IOException("mine");
		assertThat(failure(this.work.brief("lost", thrown))).isSameAs(thrown);
		assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
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

	private static Throwable failure(Mono<?> mono) {
		Throwable thrown = catchThrowable(() -> mono.toFuture().get(10, TimeUnit.SECONDS));
		assertThat(thrown).isNotNull();
		return Objects.requireNonNull(thrown.getCause());
	}

	private static Throwable failure(Flux<?> flux) {
		return failure(flux.collectList());
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
