package io.github.distlock.testing;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Assumptions;

/**
 * Starts a Redis under a given locale. Lua compares strings with {@code strcoll}, and
 * Redis takes {@code LC_COLLATE} from its environment.
 */
public final class RedisLocales {

	/** A locale whose order of strings is not that of their bytes. */
	public static final String COLLATING = "en_US.UTF-8";

	/** A locale that compares bytes. */
	public static final String BYTES = "C";

	/**
	 * By their bytes the first is greater, but a locale that ignores punctuation compares
	 * the digits.
	 */
	private static final String COLLATES = "return ('~1234567890123456' < '|1234567890123457') and 1 or 0";

	private RedisLocales() {
	}

	/**
	 * Start a server, which is checked to compare strings as the locale does: for
	 * {@link #BYTES} the one of the build, for {@link #COLLATING} the one installed on
	 * this machine. The test is skipped if that or the locale is missing.
	 */
	public static RedisProcess start(String locale) {
		Path executable = locale.equals(BYTES) ? RedisProcess.embedded() : assumeCollating(locale);
		RedisProcess server = RedisProcess.start(executable, Map.of("LC_ALL", locale), RedisTestServer.freePort(),
				List.of());
		boolean collates = Long.valueOf(1).equals(server.ask("EVAL", COLLATES, "0"));
		if (collates == locale.equals(BYTES)) {
			server.close();
			throw new IllegalStateException("%s under LC_ALL=%s compares strings %s".formatted(executable, locale,
					collates ? "by the rules of a language" : "by their bytes"));
		}
		return server;
	}

	private static Path assumeCollating(String locale) {
		Path executable = Installed.REDIS_SERVER.assume();
		Assumptions.assumeTrue(System.getProperty("os.name").equals("Linux"),
				"Only the C library of Linux is known to collate the word of readers before a tombstone");
		Installed.assumeLocale(locale);
		return executable;
	}

}
