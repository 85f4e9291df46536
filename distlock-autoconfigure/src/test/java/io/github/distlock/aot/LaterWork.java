package io.github.distlock.aot;

import java.util.concurrent.CompletableFuture;

import io.github.distlock.DistributedLock;
import io.github.distlock.ReactiveLockContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.scheduling.annotation.Async;

/**
 * Methods whose work ends after they return. They return the keys of their locks.
 */
class LaterWork {

	@DistributedLock("'stage'")
	CompletableFuture<String> stage() {
		return CompletableFuture.completedFuture(String.join(",", StoreWork.keys()));
	}

	@Async
	@DistributedLock("'async'")
	public CompletableFuture<String> async() {
		return CompletableFuture.completedFuture(String.join(",", StoreWork.keys()));
	}

	@DistributedLock("'mono'")
	Mono<String> mono() {
		return Mono.deferContextual((context) -> Mono.just(ReactiveLockContext.all(context).get(0).key()));
	}

	@DistributedLock("'flux'")
	Flux<String> flux() {
		return Flux.deferContextual((context) -> Flux.just(ReactiveLockContext.all(context).get(0).key()));
	}

}
