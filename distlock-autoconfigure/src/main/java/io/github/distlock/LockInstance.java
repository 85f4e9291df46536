package io.github.distlock;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * One registry of one JVM, as its tickets in the store name it.
 *
 * @param id the id of the instance: globally unique, new at each start of a registry
 * @param application the name of the application ({@code spring.application.name}) as far
 * as a ticket can contain it, or {@code null} if only the id is known
 * @param host the name of the host as far as a ticket can contain it, or {@code null} if
 * only the id is known
 * @param pid the process id, or {@code null} if only the id is known
 */
public record LockInstance(String id, @Nullable String application, @Nullable String host, @Nullable Long pid) {

	private static final Pattern TEXT = Pattern
		.compile("([A-Za-z0-9._-]+)@([A-Za-z0-9._-]+):([0-9]{1,10}):([A-Za-z0-9_-]+)");

	/**
	 * Return the instance of a text.
	 * @param text the text, see {@link #text()}
	 * @return the instance; any other text is the id of an instance of which only the id
	 * is known
	 */
	public static LockInstance of(String text) {
		Matcher parts = TEXT.matcher(text);
		return parts.matches()
				? new LockInstance(parts.group(4), parts.group(1), parts.group(2), Long.valueOf(parts.group(3)))
				: new LockInstance(text, null, null, null);
	}

	/**
	 * Return the text that each ticket of the instance begins with.
	 * @return {@code application@host:pid:id}, or the id if only the id is known
	 */
	public String text() {
		return isResolved() ? this.application + "@" + this.host + ":" + this.pid + ":" + this.id : this.id;
	}

	/**
	 * Return whether more than the id is known.
	 * @return whether application, host and process id are known
	 */
	public boolean isResolved() {
		return this.host != null;
	}

	/**
	 * Describe the instance for messages.
	 * @return {@code application@host:pid (id)}, or {@code instance id} if only the id is
	 * known
	 */
	public String describe() {
		return isResolved() ? this.application + "@" + this.host + ":" + this.pid + " (" + this.id + ")"
				: "instance " + this.id;
	}

}
