package io.github.distlock.lab.web;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A host and its port, as in the header {@code Host}.
 *
 * @param host the host in lower case, an IPv6 address in brackets
 * @param port the port, or {@link #NO_PORT}
 */
record Authority(String host, int port) {

	/** There is no port. */
	static final int NO_PORT = -1;

	private static final Pattern PATTERN = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[0-9a-zA-Z._-]+)(?::(\\d{1,5}))?");

	/**
	 * Read a host with an optional port.
	 * @param text the text
	 * @return nothing if the text is something else
	 */
	static Optional<Authority> parse(String text) {
		Matcher matcher = PATTERN.matcher(text);
		if (!matcher.matches()) {
			return Optional.empty();
		}
		String port = matcher.group(2);
		return Optional.of(new Authority(matcher.group(1).toLowerCase(Locale.ROOT),
				(port != null) ? Integer.parseInt(port) : NO_PORT));
	}

	/**
	 * Return the port.
	 * @param scheme {@code http} or {@code https}
	 * @return the port, or that of the scheme if there is none
	 */
	int port(String scheme) {
		return (this.port != NO_PORT) ? this.port : scheme.equals("https") ? 443 : 80;
	}

}
