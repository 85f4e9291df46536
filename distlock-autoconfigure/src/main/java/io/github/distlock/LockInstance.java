package io.github.distlock;

import java.util.Base64;
import java.util.Base64.Encoder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.util.regex.Matcher.quoteReplacement;

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

	/** Letters and digits that not all stores and their clients can keep. */
	private static final Pattern LETTERS = Pattern.compile("[\\p{L}\\p{M}\\p{N}&&[^\\x00-\\x7F]]+");

	private static final Pattern ENCODED = Pattern.compile("_\\.((?:[\\w-]{4})*(?:[\\w-]{2,3})?)\\.");

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
		return parts.matches() ? new LockInstance(parts.group(4), decode(parts.group(1)), decode(parts.group(2)),
				Long.valueOf(parts.group(3))) : new LockInstance(text, null, null, null);
	}

	/**
	 * Return the text that each ticket of the instance begins with.
	 * @return {@code application@host:pid:id}, or the id if only the id is known. Letters
	 * and digits outside of ASCII are encoded, and other characters than letters, digits,
	 * {@code .}, {@code _} and {@code -} are replaced by {@code _}
	 */
	public String text() {
		return (this.application != null && this.host != null)
				? encode(this.application) + "@" + encode(this.host) + ":" + this.pid + ":" + this.id : this.id;
	}

	private static String encode(String name) {
		Encoder code = Base64.getUrlEncoder().withoutPadding();
		return LETTERS.matcher(name)
			.replaceAll((part) -> "_." + code.encodeToString(part.group().getBytes(UTF_16BE)) + ".")
			.replaceAll("[^A-Za-z0-9._-]", "_");
	}

	/** A name that has not been encoded, but looks so, stays as it is. */
	private static String decode(String name) {
		String decoded = ENCODED.matcher(name)
			.replaceAll((part) -> quoteReplacement(new String(Base64.getUrlDecoder().decode(part.group(1)), UTF_16BE)));
		return encode(decoded).equals(name) ? decoded : name;
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
