package io.github.distlock.versions;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

import javax.tools.ToolProvider;

import io.github.distlock.installed.Installed;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

/**
 * The library of an earlier commit, compiled from the history of this repository.
 */
final class EarlierVersion {

	/**
	 * The commit that runs beside this version: the last release, as soon as there is
	 * one. {@code -Dversions.earlier} names another one.
	 */
	private static final String COMMIT = "a10413979de0e7f3be6f3c5eb4049ffc8836ba70";

	private static final String MAIN = "distlock-autoconfigure/src/main/";

	private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();

	private EarlierVersion() {
	}

	/**
	 * Return the class path of a JVM with the library of the earlier commit and the tests
	 * of this checkout. Skips the test if the commit is not at hand, as in a folder
	 * without history.
	 */
	static String classPath() throws IOException, InterruptedException {
		String commit = System.getProperty("versions.earlier", COMMIT);
		List<String> path = new ArrayList<>(
				List.of(build(commit).toString(), Path.of("target", "test-classes").toString()));
		path.addAll(libraries());
		return String.join(File.pathSeparator, path);
	}

	/**
	 * Compile the library of a commit, and return the folder of its classes and
	 * resources.
	 */
	private static Path build(String commit) throws IOException, InterruptedException {
		Path folder = Path.of("target", "versions").toAbsolutePath();
		Files.createDirectories(folder);
		Path archive = folder.resolve(commit + ".zip");
		export(commit, archive);
		Path sources = Files.createDirectories(folder.resolve(commit + "-sources"));
		Path classes = Files.createDirectories(folder.resolve(commit + "-classes"));
		extract(archive, sources, classes);
		compile(sources, classes);
		return classes;
	}

	private static void export(String commit, Path archive) throws IOException, InterruptedException {
		String git = Installed.GIT.assume().toString();
		Path log = archive.resolveSibling("git.log");
		int status = new ProcessBuilder(git, "archive", "--format=zip", "--output=" + archive, commit, MAIN)
			.directory(CHECKOUT.toFile())
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start()
			.waitFor();
		if (status != 0) {
			abort("The commit " + commit + " is not in the history of this checkout: " + Files.readString(log));
		}
	}

	private static void extract(Path archive, Path sources, Path classes) throws IOException {
		try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(archive), StandardCharsets.UTF_8)) {
			for (ZipEntry entry; (entry = zip.getNextEntry()) != null;) {
				if (entry.getName().startsWith(MAIN + "java/")) {
					write(zip, sources.resolve(entry.getName().substring((MAIN + "java/").length())), entry);
				}
				else if (entry.getName().startsWith(MAIN + "resources/")) {
					write(zip, classes.resolve(entry.getName().substring((MAIN + "resources/").length())), entry);
				}
			}
		}
	}

	private static void write(InputStream content, Path file, ZipEntry entry) throws IOException {
		if (entry.isDirectory()) {
			Files.createDirectories(file);
		}
		else {
			Files.write(file, content.readAllBytes());
		}
	}

	private static void compile(Path sources, Path classes) throws IOException {
		List<String> arguments = new ArrayList<>(
				List.of("-proc:none", "-nowarn", "-Xlint:none", "-parameters", "-d", classes.toString(), "-cp",
						String.join(File.pathSeparator, libraries()) + File.pathSeparator + kotlin()));
		try (Stream<Path> files = Files.walk(sources)) {
			files.map(Path::toString).filter((name) -> name.endsWith(".java")).forEach(arguments::add);
		}
		assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
			.as("the result of the compiler")
			.isZero();
	}

	/** The class path of this JVM without what this checkout has compiled. */
	private static List<String> libraries() {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !Path.of(entry).toAbsolutePath().normalize().startsWith(CHECKOUT)
					&& !Path.of(entry).getFileName().toString().startsWith("distlock-"))
			.toList();
	}

	/**
	 * The library needs Kotlin to be compiled, and its tests run without it. A build has
	 * left it in the Maven repository.
	 */
	private static String kotlin() throws IOException {
		String path = Path.of("org", "springframework", "spring-core").toString();
		Path repository = libraries().stream()
			.filter((entry) -> entry.contains(path))
			.map((entry) -> Path.of(entry.substring(0, entry.indexOf(path))))
			.findFirst()
			.orElseThrow();
		try (Stream<Path> files = Files.walk(repository.resolve(Path.of("org", "jetbrains")))) {
			return files.map(Path::toString)
				.filter((name) -> name.endsWith(".jar"))
				.collect(joining(File.pathSeparator));
		}
	}

}
