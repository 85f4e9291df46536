package io.github.distlock.aop;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.OnFailure;
import io.github.distlock.ReactiveLockContext;
import io.github.distlock.aop.LocalStoreApplication.Calls;
import io.github.distlock.registry.BackendLockRegistry;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Single;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.type.TypeDescription;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests methods whose work ends later, with real proxies and a real store: they return
 * stages or reactive types, with one key and with several, or are {@code @Async}, in
 * which case the lock is held by the work and not by the submitter. A result whose work
 * begins later in another way is refused at start-up.
 */
class LaterWorkTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	@AutoClose
	private static final AnnotationConfigApplicationContext context = LockedApplication
		.of(Calls.class, Moves.class, Asynchronous.class, Watch.class, Publishing.class, Completing.class,
				LocalStoreApplication.class)
		.start();

	private final Calls calls = context.getBean(Calls.class);

	private final Moves moves = context.getBean(Moves.class);

	private final BackendLockRegistry registry = context.getBean(BackendLockRegistry.class);

	private final Asynchronous asynchronous = context.getBean(Asynchronous.class);

	private final AtomicInteger entered = new AtomicInteger();

	private final CompletableFuture<String> end = new CompletableFuture<>();

	/** ShedLock #5. */
	@Test
	void aMonoIsLockedUntilItsWorkIsDoneAndNotOnlyWhileItIsCreated() throws Exception {
		Mono<String> mono = this.calls.mono("mono", () -> entering(Mono.fromFuture(this.end)));
		assertThat(this.entered).hasValue(0);
		assertThat(isFree("mono")).isTrue();
		CompletableFuture<Boolean> freeWithResult = mono.map((value) -> isFree("mono")).toFuture();
		await().until(() -> this.entered.get() == 1);
		assertThat(isFree("mono")).isFalse();
		this.end.complete("done");
		assertThat(freeWithResult.get(10, TimeUnit.SECONDS)).isTrue();
	}

	/** Count the calls of a body. */
	private <T> T entering(T result) {
		this.entered.incrementAndGet();
		return result;
	}

	@Test
	void eachSubscriberCallsTheMethodAnewUnderItsOwnKey() {
		StringBuilder key = new StringBuilder("a");
		Mono<String> mono = this.moves.key(key);
		key.append("b");
		assertThat(mono.block(PATIENCE)).isEqualTo("ab");
		key.append("c");
		assertThat(mono.block(PATIENCE)).isEqualTo("abc");
	}

	@Test
	void elementsPassOnRequestAndTheCompletionWaitsForTheRelease() throws Exception {
		Requests subscriber = new Requests();
		this.calls.flux("flux", () -> Flux.range(1, 3)).subscribe(subscriber);
		assertThat(subscriber.received).hasValue(0);
		subscriber.request(2);
		await().untilAtomic(subscriber.received, (value) -> value.equals(2));
		assertThat(isFree("flux")).as(() -> LockContext.all() + " " + this.registry.snapshot()).isFalse();
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
			.hasMessageContainingAll("(String, Callable) ", " returned null");
		assertThat(isFree("fails")).isTrue();
	}

	/** Reactor throws such an error at the code that has subscribed. */
	@Test
	void anErrorOfTheJvmReachesTheSubscriberAndEndsTheLock() throws Exception {
		Error thrown = new NoClassDefFoundError("mine");
		assertThat(failure(this.calls.mono("error", () -> Mono.<String>defer(() -> {
			throw thrown;
		})).toFuture())).isSameAs(thrown);
		assertThat(failure(this.calls.flux("error", () -> Flux.range(1, 3).doOnNext((element) -> {
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
			result = this.calls.stage("executor", () -> {
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
			CompletableFuture<String> result = this.calls.stage("cancel", notCalled);
			CompletableFuture<String> next = this.calls.stage("cancel", notCalled);
			result.cancel(false);
			next.cancel(false);
			assertThat(rival.isHeld()).isTrue();
		}
		await().until(() -> isFree("cancel"));
		assertThat(this.end).isNotDone();
	}

	@Test
	void cancellingAStageDoesNotReleaseTheLockOfRunningWork() throws Exception {
		assertThat(begin("working").cancel(true)).isTrue();
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
				result = this.calls.stage("inner", () -> CompletableFuture
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
		assertThat(this.calls.stage("nested", () -> {
			String first = this.moves.blocking("nested");
			return this.calls.stage("nested", () -> CompletableFuture.completedFuture(first + " and in a stage"));
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
		CompletableFuture<String> result = this.calls.stage(key, () -> entering(this.end));
		await().until(() -> this.entered.get() == 1);
		return result;
	}

	@Test
	void cancellingAtAnyMomentLeavesNothingLocked() throws Exception {
		for (int i = 0; i < 200; i++) {
			Disposable subscription = this.calls.mono("moment", Mono::never).subscribe();
			for (int spin = 0; spin < i * 100; spin++) {
				Thread.onSpinWait();
			}
			subscription.dispose();
		}
		await().until(() -> isFree("moment"));
	}

	@Test
	void cancellingEndsTheWorkAndThenTheLock() throws Exception {
		Sinks.Many<Integer> source = Sinks.many().unicast().onBackpressureBuffer();
		CompletableFuture<Boolean> freeWhenCancelled = new CompletableFuture<>();
		Disposable subscription = this.calls
			.flux("running",
					() -> entering(source.asFlux().doOnCancel(() -> freeWhenCancelled.complete(isFree("running")))))
			.subscribe();
		await().until(() -> this.entered.get() == 1);
		subscription.dispose();
		assertThat(freeWhenCancelled).succeedsWithin(PATIENCE).isEqualTo(false);
		await().until(() -> isFree("running"));
	}

	@Test
	void theLocksTravelInTheContextOfTheSubscriber() throws Exception {
		Mono<List<HeldLock>> current = this.calls.mono("inner", () -> Mono.delay(Duration.ofMillis(1))
			.flatMap((tick) -> Mono.deferContextual((subscriber) -> Mono.just(ReactiveLockContext.all(subscriber)))));
		HeldLock lock = this.registry.acquire(LockRequest.of("outer"));
		assertThat(current.contextWrite((outer) -> outer.put(LockContext.CONTEXT_KEY, List.of(lock))).block(PATIENCE))
			.extracting(HeldLock::key)
			.containsExactly("inner", "outer");
		assertThat(this.calls.mono("inner", () -> Mono.just(currentKey())).block(PATIENCE)).isEqualTo("inner");
		assertThat(ReactiveLockContext.current().blockOptional(PATIENCE)).isEmpty();
	}

	private static String currentKey() {
		return LockContext.current().orElseThrow().key();
	}

	@Test
	void theLocksAreThoseOfEachThreadWithAutomaticPropagation() throws Exception {
		Hooks.enableAutomaticContextPropagation();
		try {
			assertThat(this.calls.mono("hops",
					() -> Mono.delay(Duration.ofMillis(1)).publishOn(Schedulers.parallel()).map((tick) -> currentKey()))
				.block(PATIENCE)).isEqualTo("hops");
		}
		finally {
			Hooks.disableAutomaticContextPropagation();
		}
	}

	@Test
	void theWorkEntersItsOwnLockAgain() throws Exception {
		Mono<String> nested = this.calls.mono("nested",
				() -> Mono.delay(Duration.ofMillis(1))
					.flatMap((tick) -> this.moves.once("nested"))
					.zipWith(this.moves.once("nested"), (one, two) -> one + " " + two));
		assertThat(nested.block(PATIENCE)).isEqualTo("nested nested");
		assertThat(isFree("nested")).isTrue();
	}

	@Test
	void otherReactiveTypesAreLockedToo() {
		assertThat(this.moves.single("single").blockingGet()).isEqualTo("single is free: false");
		assertThat(this.moves.flowable("flowable").blockingFirst()).isEqualTo("flowable is free: false");
		assertThat(JdkFlowAdapter.flowPublisherToFlux(this.moves.flow("flow")).blockLast(PATIENCE))
			.isEqualTo("flow is free: false");
		await().until(() -> isFree("single") && isFree("flowable") && isFree("flow"));
	}

	@Test
	void adviceInsideOfTheLockFindsItsCall() {
		assertThat(this.moves.once("watched").block(PATIENCE)).isEqualTo("watched");
		assertThat(context.getBean(Watch.class).seen).contains("once");
	}

	@Test
	void theSubmitterNeitherWaitsNorHoldsTheLock() {
		try (HeldLock rival = this.registry.acquire(LockRequest.of("nothing"))) {
			this.asynchronous.nothing("nothing", this.entered, this.end);
			assertThat(this.entered).hasValue(0);
			assertThat(rival.isHeld()).isTrue();
		}
		assertHeldWhileItRuns("nothing");
	}

	@Test
	void theLockOfAnAsyncMethodIsHeldWhileItsBodyRuns() throws Exception {
		Future<String> result = this.asynchronous.finished("finished", this.entered, this.end);
		assertHeldWhileItRuns("finished");
		assertThat(result.get(10, TimeUnit.SECONDS)).startsWith("work-");
	}

	@Test
	void theLockOfAnAsyncMethodIsHeldUntilTheReturnedFutureIsDone() throws Exception {
		CompletableFuture<String> result = this.asynchronous.unfinished("unfinished", this.entered, this.end);
		assertHeldWhileItRuns("unfinished");
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("end");
	}

	@Test
	void theFutureOfAnAsyncMethodFailsIfTheLockIsNotAcquired() throws Exception {
		try (HeldLock rival = this.registry.acquire(LockRequest.of("taken"))) {
			Future<String> late = this.asynchronous.once("taken");
			assertThat(catchThrowable(() -> late.get(10, TimeUnit.SECONDS))).isInstanceOf(ExecutionException.class)
				.hasCauseInstanceOf(LockNotAcquiredException.class);
			assertThat(this.asynchronous.skipped("taken").get(10, TimeUnit.SECONDS)).isEmpty();
			assertThat(rival.isHeld()).isTrue();
		}
	}

	private void assertHeldWhileItRuns(String key) {
		await().until(() -> this.entered.get() == 1);
		assertThat(isFree(key)).isFalse();
		this.end.complete("end");
		await().until(() -> isFree(key));
	}

	private boolean isFree(String key) {
		return LocalStoreApplication.isFree(this.registry, key);
	}

	private static Throwable failure(CompletableFuture<?> result) {
		Throwable thrown = catchThrowable(() -> result.get(10, TimeUnit.SECONDS));
		assertThat(thrown).isInstanceOf(ExecutionException.class);
		return Objects.requireNonNull(thrown.getCause());
	}

	@ParameterizedTest
	@ValueSource(classes = { WebAsyncTask.class, DeferredResult.class, ResponseBodyEmitter.class, SseEmitter.class,
			StreamingResponseBody.class, Callable.class, Future.class, OwnFuture.class, ConnectableFlux.class })
	void aResultWhoseWorkBeginsLaterOrContinuesInAnUnknownWayIsRefusedAtStartUp(Class<?> result) {
		assertRefused(LockedApplication.load(new ByteBuddy()
			.subclass(TypeDescription.Generic.Builder.parameterizedType(Returning.class, result).build())
			.name(getClass().getPackageName() + ".Returns" + result.getSimpleName())));
	}

	@Test
	void aMethodOfALockedClassWhoseWorkBeginsLaterIsRefusedAtStartUp() {
		assertRefused(ClassReturnsCallable.class);
	}

	private static void assertRefused(Class<?> bean) {
		LockedApplication.of(bean)
			.assertRefused(bean.getName() + ".run(", "after the method has returned",
					"Return CompletableFuture, CompletionStage, Mono or Flux");
	}

	@Test
	void aTypeVariableThatIsAPublisherIsLockedUntilItHasCompleted() {
		Mono<String> mono = context.getBean(Publishing.class).run(Mono.fromCallable(() -> Moves.state("k")));
		assertThat(isFree("k")).isTrue();
		assertThat(mono.block(PATIENCE)).isEqualTo("k is free: false");
		assertThat(isFree("k")).isTrue();
	}

	@Test
	void aTypeVariableThatIsAStageIsLockedUntilItIsComplete() throws Exception {
		CompletableFuture<String> result = context.getBean(Completing.class).run(this.end);
		await().until(() -> !isFree("k"));
		this.end.complete("done");
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(isFree("k")).isTrue();
	}

	/** What a method returns. */
	enum Kind {

		STAGE, MONO, FLUX;

		CompletableFuture<?> run(String key, Callable<@Nullable CompletableFuture<String>> body) throws Exception {
			return switch (this) {
				case STAGE -> context.getBean(Calls.class).stage(key, body);
				case MONO -> context.getBean(Calls.class).mono(key, () -> mono(body.call())).toFuture();
				case FLUX -> context.getBean(Calls.class)
					.flux(key, () -> Optional.ofNullable(mono(body.call())).map(Mono::flux).orElse(null))
					.collectList()
					.toFuture();
			};
		}

		private static @Nullable Mono<String> mono(@Nullable CompletableFuture<String> end) {
			return (end != null) ? Mono.fromFuture(end) : null;
		}

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

		@DistributedLock(key = "#key", waitTime = "0")
		public Mono<String> once(String key) {
			return Mono.just(key);
		}

		@DistributedLock("#key.toString()")
		public Mono<String> key(StringBuilder key) {
			return Mono.just(currentKey());
		}

		@DistributedLock("#key")
		public Single<String> single(String key) {
			return Single.fromCallable(() -> state(key));
		}

		@DistributedLock("#key")
		public Flowable<String> flowable(String key) {
			return Flowable.fromCallable(() -> state(key));
		}

		@DistributedLock("#key")
		public Flow.Publisher<String> flow(String key) {
			return JdkFlowAdapter.publisherToFlowPublisher(Mono.fromCallable(() -> state(key)));
		}

		private static String state(String key) {
			return key + " is free: " + LocalStoreApplication.isFree(context.getBean(BackendLockRegistry.class), key);
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
			this.ended.complete(LocalStoreApplication.isFree(context.getBean(BackendLockRegistry.class), "flux"));
		}

	}

	@Aspect
	@EnableAspectJAutoProxy
	static class Watch {

		volatile String seen = "";

		@Before("execution(* io.github.distlock.aop.LaterWorkTests.Moves.once(..)) && args(key)")
		void see(JoinPoint call, String key) {
			this.seen = call.getSignature().getName() + key;
		}

	}

	@EnableAsync
	static class Asynchronous {

		@Async
		@DistributedLock("#key")
		void nothing(String key, AtomicInteger entered, CompletableFuture<String> end) {
			entered.incrementAndGet();
			end.join();
		}

		@Async
		@DistributedLock("#key")
		Future<String> finished(String key, AtomicInteger entered, CompletableFuture<String> end) {
			nothing(key, entered, end);
			return CompletableFuture.completedFuture(Thread.currentThread().getName());
		}

		@Async
		@DistributedLock("#key")
		CompletableFuture<String> unfinished(String key, AtomicInteger entered, CompletableFuture<String> end) {
			entered.incrementAndGet();
			return end;
		}

		@Async
		@DistributedLock(key = "#key", waitTime = "0", onFailure = OnFailure.SKIP)
		CompletableFuture<Optional<String>> skipped(String key) {
			return CompletableFuture.completedFuture(Optional.of(key));
		}

		@Async
		@DistributedLock(key = "#key", waitTime = "0")
		Future<String> once(String key) {
			return CompletableFuture.completedFuture(key);
		}

	}

	static class OwnFuture extends CompletableFuture<String> {

	}

	@DistributedLock
	static class ClassReturnsCallable {

		public @Nullable Callable<String> run() {
			return null;
		}

	}

	abstract static class Returning<T> {

		@DistributedLock("'k'")
		T run(T result) {
			return result;
		}

	}

	static class Publishing extends Returning<Mono<String>> {

	}

	static class Completing extends Returning<CompletableFuture<String>> {

	}

}
