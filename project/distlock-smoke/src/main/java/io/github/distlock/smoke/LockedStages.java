package io.github.distlock.smoke;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.github.distlock.DistributedLock;
import reactor.core.publisher.Mono;

import org.springframework.stereotype.Component;

/**
 * Methods whose work ends after they have returned.
 */
@Component
public class LockedStages {

	/**
	 * Start work that ends when its future completes.
	 * @param key the key of the lock
	 * @param work starts the work
	 * @return the future of the work
	 */
	@DistributedLock(key = "#key", waitTime = "30s")
	public CompletableFuture<String> stage(String key, Supplier<CompletableFuture<String>> work) {
		return work.get();
	}

	/**
	 * Describe work that ends when its publisher ends.
	 * @param key the key of the lock
	 * @param work the work
	 * @return the publisher of the work
	 */
	@DistributedLock(key = "#key", waitTime = "30s")
	public Mono<String> mono(String key, Mono<String> work) {
		return work;
	}

}
