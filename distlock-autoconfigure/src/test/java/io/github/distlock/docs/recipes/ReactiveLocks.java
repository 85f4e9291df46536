package io.github.distlock.docs.recipes;

import java.util.stream.Stream;

import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.ReactiveLockContext;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.stereotype.Component;

@Component
class ReactiveLocks {

	private final LockRegistry locks;

	ReactiveLocks(LockRegistry locks) {
		this.locks = locks;
	}

	<T> Mono<T> underLock(LockRequest request, Mono<T> work) {
		return Mono
			.usingWhen(Mono.fromFuture(() -> this.locks.acquireAsync(request)),
					(lock) -> work.contextWrite((context) -> context.put(LockContext.CONTEXT_KEY,
							Stream.concat(Stream.of(lock), ReactiveLockContext.all(context).stream()).toList())),
					(lock) -> Mono.fromRunnable(lock::close).subscribeOn(Schedulers.boundedElastic()))
			.onErrorMap((ex) -> (ex.getCause() instanceof LockLostException lost) ? lost : ex);
	}

}
