package io.github.distlock.registry;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;

import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.RedisNodes;

/**
 * Locks in the store {@code local} a hundred times. Its JVM logs which classes it loads
 * meanwhile.
 */
final class FirstLockProgram {

	private FirstLockProgram() {
	}

	public static void main(String[] args) {
		PrintStream out = System.out;
		BackendLockRegistry registry = new BackendLockRegistry(
				new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 1, TimeSource.SYSTEM),
				RedisNodes.settings(Duration.ofSeconds(30)), List.of(), TimeSource.SYSTEM);
		registry.start();
		LockRequest request = LockRequest.of("key");
		out.println("started");
		registry.acquire(request).close();
		out.println("first");
		for (int i = 1; i < 100; i++) {
			registry.acquire(request).close();
		}
		out.println("hundredth");
		Runtime.getRuntime().halt(0);
	}

}
