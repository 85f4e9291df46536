package io.github.distlock.torture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

import static java.util.stream.Collectors.joining;

/**
 * A copy of the library with one fault, made by replacing text in the sources. A text
 * that is not found exactly once is an error, so a mutant cannot become outdated
 * unnoticed.
 *
 * @param name a description of the fault
 * @param edits the replacements that make the fault
 */
public record Mutant(String name, List<Edit> edits) {

	private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

	private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

	private static final ReentrantLock COMPILING = new ReentrantLock();

	private static final Path JAVA = Path.of("src/main/java");

	private static final Path RESOURCES = Path.of("src/main/resources");

	private static final Path REDIS = Path.of("io/github/distlock/backend/redis");

	public static Mutant of(String name, Edit... edits) {
		return new Mutant(name, List.of(edits));
	}

	/** A change of a script. */
	static Edit lua(String file, String text, String replacement) {
		return new Edit(RESOURCES, REDIS.resolve(file), text, replacement);
	}

	/** A change of a class, whose path begins at the base package. */
	public static Edit java(String file, String text, String replacement) {
		return new Edit(JAVA, Path.of("io/github/distlock").resolve(file), text, replacement);
	}

	/**
	 * Create the mutant in a folder. Its classes replace those after it on the class
	 * path.
	 */
	public void applyTo(Path folder) {
		try {
			List<String> sources = new ArrayList<>();
			for (Map.Entry<Edit.Place, String> changed : texts().entrySet()) {
				boolean source = changed.getKey().root().equals(JAVA);
				Path file = folder.resolve(source ? "sources" : "classes").resolve(changed.getKey().file());
				Files.createDirectories(file.getParent());
				Files.writeString(file, changed.getValue());
				if (source) {
					sources.add(file.toString());
				}
			}
			compile(sources, folder.resolve("classes"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Return the changed texts. Each text that an edit replaces must be found. */
	Map<Edit.Place, String> texts() {
		Map<Edit.Place, String> texts = new LinkedHashMap<>();
		for (Edit edit : this.edits) {
			texts.computeIfAbsent(edit.place(), (place) -> edit.read());
			texts.computeIfPresent(edit.place(), (place, text) -> edit.apply(text));
		}
		return texts;
	}

	private void compile(List<String> sources, Path classes) throws IOException {
		if (sources.isEmpty()) {
			return;
		}
		Files.createDirectories(classes);
		List<String> options = List.of("-proc:none", "-nowarn", "-parameters", "-g", "-cp",
				System.getProperty("java.class.path"));
		// One compiler at a time, which opens the jars of the class path once.
		COMPILING.lock();
		try {
			FILES.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(classes));
			if (!COMPILER.getTask(null, FILES, null, options, null, FILES.getJavaFileObjectsFromStrings(sources))
				.call()) {
				throw new IllegalStateException("The mutant '" + this.name + "' does not compile");
			}
		}
		finally {
			COMPILING.unlock();
		}
	}

	@Override
	public String toString() {
		return this.name;
	}

	/**
	 * One replacement of a text, which occurs exactly once, in one file below a source
	 * root.
	 */
	public record Edit(Path root, Path file, String text, String replacement) {

		/** White space is ignored, since a formatter may change it. */
		String apply(String whole) {
			Matcher matcher = Pattern
				.compile(Arrays.stream(this.text.trim().split("\\s+")).map(Pattern::quote).collect(joining("\\s+")))
				.matcher(whole);
			if (!matcher.find()) {
				throw new IllegalStateException("Not in " + this.file + ": " + this.text);
			}
			String changed = whole.substring(0, matcher.start()) + this.replacement + whole.substring(matcher.end());
			if (matcher.find()) {
				throw new IllegalStateException("More than once in " + this.file + ": " + this.text);
			}
			return changed;
		}

		String read() {
			try {
				return Files.readString(this.root.resolve(this.file));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		Place place() {
			return new Place(this.root, this.file);
		}

		/** The location of a file. */
		record Place(Path root, Path file) {
		}

	}

}
