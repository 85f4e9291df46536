package io.github.distlock.installed;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

import org.opentest4j.TestAbortedException;

/**
 * Programs that Maven cannot bring, and that a machine may have. This is the only place
 * of the tests that looks for one. A test that needs a missing program is skipped by
 * name, and has the tag {@link #TAG}.
 * <p>
 * {@code -Ddistlock.installed=false} hides all of them. Surefire passes it in the
 * environment, so that it reaches the JVMs that tests start.
 */
public enum Installed {

	/** Redis. */
	REDIS_SERVER("redis-server", "redis-server"),

	/** The command line of Redis. */
	REDIS_CLI("redis-cli", "redis-tools"),

	/** Valkey. */
	VALKEY_SERVER("valkey-server", "valkey-server, from Debian 13 on"),

	/** MariaDB. */
	MARIADBD("mariadbd", "mariadb-server"),

	/** Creates the data folder of MariaDB. */
	MARIADB_INSTALL_DB("mariadb-install-db", "mariadb-server"),

	/** The pooler of PostgreSQL. */
	PGBOUNCER("pgbouncer", "pgbouncer"),

	/** Prometheus. */
	PROMETHEUS("prometheus", "prometheus"),

	/** The checks of Prometheus. */
	PROMTOOL("promtool", "prometheus"),

	/** Chromium. */
	CHROMIUM("chromium", "chromium", "chromium-browser", "google-chrome"),

	/** The driver of Chromium. */
	CHROMEDRIVER("chromedriver", "chromium-driver"),

	/** Lists the locales. */
	LOCALE("locale", "libc-bin"),

	/** A client for HTTP. */
	CURL("curl", "curl");

	/** The tag of tests that need an installed program. */
	public static final String TAG = "installed";

	private static final String SWITCH = "distlock.installed";

	private final String program;

	private final String debianPackage;

	private final List<String> otherNames;

	Installed(String program, String debianPackage, String... otherNames) {
		this.program = program;
		this.debianPackage = debianPackage;
		this.otherNames = List.of(otherNames);
	}

	/**
	 * Return whether tests must use nothing that is installed.
	 * @return whether all programs are hidden
	 */
	public static boolean areHidden() {
		return "false".equals(System.getProperty(SWITCH)) || "false".equals(System.getenv("DISTLOCK_INSTALLED"));
	}

	/**
	 * Return the name of the executable.
	 * @return the name
	 */
	public String program() {
		return this.program;
	}

	/**
	 * Find the program as a shell does.
	 * @return its executable, if it is installed and not hidden
	 */
	public Optional<Path> find() {
		return Stream.concat(Stream.of(this.program), this.otherNames.stream())
			.filter((name) -> !areHidden())
			.flatMap((name) -> named(name).stream())
			.findFirst();
	}

	/**
	 * Find the program. Without it the test is skipped.
	 * @return its executable
	 */
	public Path assume() {
		return find().orElseThrow(() -> missing("program " + this.program + " (Debian: " + this.debianPackage + ")"));
	}

	/**
	 * Find the program in a version. Without it the test is skipped.
	 * @param version a part of what the program says about its version
	 * @return its executable
	 */
	public Path assume(String version) {
		Path executable = assume();
		if (!output(executable, "--version").contains(version)) {
			throw missing("program " + this.program + " " + version);
		}
		return executable;
	}

	/**
	 * Require a locale. Without it the test is skipped.
	 * @param name the name of the locale
	 */
	public static void assumeLocale(String name) {
		String locales = normalized(output(LOCALE.assume(), "-a"));
		if (locales.lines().noneMatch(normalized(name)::equals)) {
			throw missing("locale " + name + " (Debian: locales-all)");
		}
	}

	/**
	 * Find a program that the command line names, which is never hidden.
	 * @param program the name of its executable
	 * @return its executable
	 */
	public static Optional<Path> named(String program) {
		return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
			.map((folder) -> Path.of(folder, program))
			.filter(Files::isExecutable)
			.findFirst();
	}

	/**
	 * Skip a test. The script {@code .ci/run} searches the reports for the first words.
	 * @param name what is missing
	 * @return the exception to throw
	 */
	public static TestAbortedException missing(String name) {
		return new TestAbortedException(
				"Not installed" + (areHidden() ? ", or hidden by -D" + SWITCH + "=false" : "") + ": " + name);
	}

	private static String output(Path executable, String option) {
		try {
			Process process = new ProcessBuilder(executable.toString(), option).redirectErrorStream(true).start();
			return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			return "";
		}
	}

	private static String normalized(String locale) {
		return locale.toLowerCase(Locale.ROOT).replace("utf-8", "utf8");
	}

}
