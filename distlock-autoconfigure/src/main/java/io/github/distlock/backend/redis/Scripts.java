package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.DigestUtils;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.util.function.ThrowingSupplier;

/**
 * The Lua scripts, one for each verb and for each question of an operator. A line
 * {@code -- include: file} is replaced with that file.
 */
final class Scripts {

	private static final String INCLUDE = "-- include: ";

	/** What each script runs in. */
	private static final String NAMED = read("named.lua");

	static final RedisScript<String> ATTEMPT = script(String.class, "attempt.lua");

	static final RedisScript<String> RELEASE = script(String.class, "release.lua");

	static final RedisScript<String> CANCEL = script(String.class, "cancel.lua");

	/** Lets in one portion of readers. */
	static final RedisScript<String> ADMIT = script(String.class, "admit.lua");

	/** Maximum number of portions of readers that one caller lets in. */
	static final int MAX_PORTIONS = 1000;

	static final RedisScript<String> END = script(String.class, "end.lua");

	static final RedisScript<String> INSPECT = script(String.class, "inspect.lua");

	static final RedisScript<String> RENEW = script(String.class, "renew.lua");

	static final RedisScript<String> READ_RENEW = script(String.class, "read-renew.lua");

	static final RedisScript<String> PROBE = script(String.class, "probe.lua");

	static final RedisScript<String> RIGHTS = script(String.class, "rights.lua");

	private Scripts() {
	}

	/**
	 * Read the files, on a thread that may: a command may be the first on an event loop.
	 */
	static void load() {
		// Done by the initializer of the class.
	}

	static <T> RedisScript<T> script(Class<T> type, String file) {
		String text = NAMED.replace("-- script", text(file));
		return new Script<>(DigestUtils.sha1DigestAsHex(text), type, text);
	}

	private static String text(String file) {
		return read(file).lines()
			.map((line) -> line.startsWith(INCLUDE) ? text(line.substring(INCLUDE.length())) : line)
			.collect(Collectors.joining("\n"));
	}

	private static String read(String file) {
		ClassPathResource resource = new ClassPathResource(file, Scripts.class);
		return ThrowingSupplier.of(() -> resource.getContentAsString(StandardCharsets.UTF_8)).get();
	}

	/**
	 * A script that does not change. That of Spring Data locks for its digest, and a
	 * stack overflow could leave that lock taken for the whole JVM.
	 */
	private record Script<T>(String getSha1, Class<T> getResultType,
			String getScriptAsString) implements RedisScript<T> {
	}

}
