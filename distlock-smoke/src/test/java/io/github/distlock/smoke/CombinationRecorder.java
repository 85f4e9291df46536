package io.github.distlock.smoke;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Counts the tests of a combination. With {@code -Ddistlock.docs.write=true} it writes
 * their row of docs/compatibility.md.
 */
final class CombinationRecorder implements TestWatcher, AfterAllCallback {

	/** Relative to each of the modules. */
	static final Path PAGE = Path.of("..", "..", "docs", "compatibility.md");

	private final AtomicInteger passed = new AtomicInteger();

	private final List<String> skipped = Collections.synchronizedList(new ArrayList<>());

	private final List<String> failed = Collections.synchronizedList(new ArrayList<>());

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
		this.skipped.add(context.getRequiredTestMethod().getName());
	}

	@Override
	public void testDisabled(ExtensionContext context, Optional<String> reason) {
		this.skipped.add(context.getRequiredTestMethod().getName());
	}

	@Override
	public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
		this.failed.add(context.getRequiredTestMethod().getName());
	}

	@Override
	public void afterAll(ExtensionContext context) throws IOException {
		if (this.combination != null && Boolean.getBoolean("distlock.docs.write")) {
			CombinationRow row = new CombinationRow(this.combination, this.passed.get(), this.skipped, this.failed,
					LocalDate.now());
			Files.writeString(PAGE, CompatibilityTable.of(Files.readString(PAGE)).with(row));
		}
	}

}
