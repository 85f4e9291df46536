package io.github.distlock.testing;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.github.distlock.thread.LockLog;

import org.springframework.test.util.ReflectionTestUtils;

/** The log of the library, which another thread writes. */
public final class FlushedLog {

	private FlushedLog() {
	}

	/** Return the captured output when it has the lines so far. */
	public static <T> T flushed(T output) {
		CompletableFuture.runAsync(() -> {
		}, (Executor) Objects.requireNonNull(ReflectionTestUtils.getField(LockLog.class, "WRITER")))
			.orTimeout(30, TimeUnit.SECONDS)
			.join();
		return output;
	}

}
