package io.github.distlock.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockRegistry;
import io.github.distlock.ReactiveLockContext;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Single;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.ObjectProvider;

/**
 * Locked methods that return reactive types.
 */
class ReactiveWork {

	private final AtomicInteger entered = new AtomicInteger();

	private final ObjectProvider<ReactiveWork> self;

	private final ObjectProvider<LockRegistry> registry;

	ReactiveWork(ObjectProvider<ReactiveWork> self, ObjectProvider<LockRegistry> registry) {
		this.self = self;
		this.registry = registry;
	}

	int entered() {
		return this.entered.get();
	}

	@DistributedLock(key = "#key")
	Mono<String> mono(String key, Mono<String> end) {
		this.entered.incrementAndGet();
		return end;
	}

	@DistributedLock(key = "#key.toString()")
	Mono<String> key(StringBuilder key) {
		this.entered.incrementAndGet();
		return Mono.just(LockContext.current().orElseThrow().key());
	}

	@DistributedLock(key = "#key")
	Flux<Integer> flux(String key, Flux<Integer> source) {
		this.entered.incrementAndGet();
		return source;
	}

	@DistributedLock(key = "#key", waitTime = "0")
	Mono<String> once(String key) {
		return Mono.just(key);
	}

	@DistributedLock(key = "#key")
	Mono<List<String>> current(String key) {
		return Mono.delay(Duration.ofMillis(1))
			.flatMap((tick) -> Mono.deferContextual(
					(context) -> Mono.just(ReactiveLockContext.all(context).stream().map(HeldLock::key).toList())));
	}

	@DistributedLock(key = "#key")
	Mono<String> body(String key) {
		return Mono.just(LockContext.current().orElseThrow().key());
	}

	@DistributedLock(key = "#key")
	Mono<String> hopping(String key) {
		return Mono.delay(Duration.ofMillis(1))
			.publishOn(Schedulers.parallel())
			.map((tick) -> LockContext.current().orElseThrow().key());
	}

	@DistributedLock(key = "#key")
	Mono<String> nested(String key) {
		return Mono.delay(Duration.ofMillis(1))
			.flatMap((tick) -> this.self.getObject().once(key))
			.zipWith(this.self.getObject().once(key), (one, two) -> one + " " + two);
	}

	@DistributedLock(key = "#key")
	Single<String> single(String key) {
		return Single.fromCallable(() -> state(key));
	}

	@DistributedLock(key = "#key")
	Flowable<String> flowable(String key) {
		return Flowable.fromCallable(() -> state(key));
	}

	@DistributedLock(key = "#key")
	Flow.Publisher<String> flow(String key) {
		return JdkFlowAdapter.publisherToFlowPublisher(Mono.fromCallable(() -> state(key)));
	}

	/** Whether a key is free. */
	boolean isFree(String key) {
		return LocalStoreApplication.isFree(this.registry.getObject(), key);
	}

	private String state(String key) {
		return key + " is free: " + isFree(key);
	}

}
