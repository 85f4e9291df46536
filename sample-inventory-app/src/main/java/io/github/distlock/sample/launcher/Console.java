package io.github.distlock.sample.launcher;

import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What the user reads. Safe for use by many threads.
 */
final class Console {

	private final PrintStream out;

	private final AtomicBoolean failed = new AtomicBoolean();

	Console(PrintStream out) {
		this.out = out;
	}

	void line(String format, Object... values) {
		this.out.println(format.formatted(values));
		this.out.flush();
	}

	/**
	 * Print one of the things that were started.
	 * @param name its name
	 * @param what where it is
	 */
	void item(String name, String what) {
		line("%-12s %s", name, what);
	}

	/**
	 * Print a part of a line, at once.
	 * @param text the part
	 */
	void part(String text) {
		this.out.print(text);
		this.out.flush();
	}

	/**
	 * Print why the demonstration fails: the first reason only, others follow from it.
	 * @param message the reason
	 */
	void failure(String message) {
		if (this.failed.compareAndSet(false, true)) {
			line("%n%s", message);
		}
	}

}
