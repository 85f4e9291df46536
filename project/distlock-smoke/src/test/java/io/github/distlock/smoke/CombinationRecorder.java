package io.github.distlock.smoke;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Counts the tests of a combination. With {@code -Ddistlock.docs.write=true} it writes
 * how many passed into docs/compatibility.md.
 */
final class CombinationRecorder implements TestWatcher, AfterAllCallback {

	/** Relative to each of the modules. */
	static final Path PAGE = Path.of("..", "..", "..", "docs", "compatibility.md");

	private final AtomicInteger passed = new AtomicInteger();

	private final AtomicInteger skipped = new AtomicInteger();

	private final AtomicInteger failed = new AtomicInteger();

	private @Nullable Combination combination;

	void runs(Combination running) {
		this.combination = running;
	}

	@Override
	public void testSuccessful(ExtensionContext context) {
		this.passed.incrementAndGet();
	}

	@Override
	public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
		this.skipped.incrementAndGet();
	}

	@Override
	public void testDisabled(ExtensionContext context, Optional<String> reason) {
		this.skipped.incrementAndGet();
	}

	@Override
	public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
		this.failed.incrementAndGet();
	}

	@Override
	public void afterAll(ExtensionContext context) throws IOException {
		if (this.combination != null && Boolean.getBoolean("distlock.docs.write")) {
			String passedOf = "%d of %d".formatted(this.passed.get(),
					this.passed.get() + this.skipped.get() + this.failed.get());
			Files.writeString(PAGE, CompatibilityTable.of(Files.readString(PAGE))
				.with(this.combination, (this.failed.get() > 0) ? "**" + passedOf + "**" : passedOf));
		}
	}

}
