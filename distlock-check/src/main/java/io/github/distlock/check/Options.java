package io.github.distlock.check;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.boot.convert.DurationStyle;

/**
 * The command line. It never contains a password, which other users of the machine could
 * read there.
 *
 * @param url the address of the server, in its parts
 * @param values the options and properties with their values, without {@code --}
 */
record Options(Matcher url, Map<String, String> values) {

	/**
	 * An option or a parameter named after a secret, or what may be one before a host.
	 */
	private static final Pattern SECRET = Pattern
		.compile("(?i)^-[^=]*(passw|pwd|secret)|[?&;]\\w*(passw|pwd)\\w*=|//[^?;]*:[^?;]*@|^rediss?:.*:.*@");

	private static final Pattern ADDRESS = Pattern.compile("(?<redis>rediss?)://((?<user>[^@:/]+)@)?(?<host>[^@:/]+)"
			+ "(:(?<port>\\d+))?(/(?<database>\\d+))?|jdbc:(?<kind>\\w+):.+");

	/** Between arguments. */
	private static final String END = "\0";

	/**
	 * Read a command line.
	 * @throws IllegalArgumentException if it is wrong; the message says what to write
	 */
	static Options parse(List<String> arguments) {
		Map<String, String> values = new LinkedHashMap<>();
		String address = "";
		for (String argument : String.join(END, arguments).replaceAll("--(ca|watch|json)" + END, "--$1=").split(END)) {
			// First, since nothing of such an argument may be printed.
			require(!SECRET.matcher(argument).find(), "password");
			if (argument.startsWith("--")) {
				String[] words = argument.substring(2).split("=", 2);
				values.put(words[0], (words.length > 1) ? words[1] : "");
			}
			else {
				require(address.isEmpty(), "addresses");
				address = argument;
			}
		}
		Matcher url = ADDRESS.matcher(address);
		require(url.matches(), "address");
		Options options = new Options(url, values);
		String known = options.texts().of("options", "known");
		values.keySet().forEach((name) -> require(name.matches(known), "option", name, known));
		// It would be the prefix of the table that is dropped.
		require(!values.containsKey("create") || !values.keySet().toString().matches("(?i).*table.?prefix.*"),
				"create");
		options.watch();
		return options;
	}

	private static void require(boolean right, String problem, Object... values) {
		if (!right) {
			String text = Texts.ALL.getString("usage." + problem) + "\n\n" + Texts.ALL.getString("usage");
			throw new IllegalArgumentException(String.format(text, values));
		}
	}

	Texts texts() {
		return new Texts((this.url.group("kind") != null) ? this.url.group("kind") : "redis");
	}

	Duration watch() {
		return DurationStyle.detectAndParse(this.values.getOrDefault("watch", "0s"));
	}

	/**
	 * Return what {@code application.properties} needs to configure an application that
	 * keeps its locks in this server.
	 * @param run the name of this check, with which the keys of its locks begin
	 * @param password the password, empty if there is none
	 * @throws IllegalArgumentException if the address names a user of Redis, which needs
	 * one
	 */
	Properties properties(String run, String password) {
		require(this.url.group("user") == null || !password.isEmpty(), "no-password");
		Properties all = new Properties();
		all.put("spring.config.location", "classpath:/io/github/distlock/check/application.properties");
		all.put("spring.profiles.active", texts().platform() + "," + this.url.group().replaceFirst(":.*", ""));
		all.put("check.run", run);
		// Taken literally, not as the name of a property.
		all.put("check.password", password.replace("${", "\\${"));
		all.put("check.address", this.url.group());
		for (String part : List.of("user", "host", "port", "database")) {
			if (this.url.group(part) != null) {
				all.put("check." + part, this.url.group(part));
			}
		}
		this.values.forEach((name, value) -> {
			all.put(name.contains(".") ? name : "check." + name, value);
			all.merge("spring.profiles.active", "," + name.replaceAll("\\W", ""), (one, other) -> "" + one + other);
		});
		return all;
	}

}
