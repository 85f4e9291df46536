package io.github.distlock.torture;

import java.io.IOException;
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
 * @param net how the torture test hunts it, or which test finds it; empty for the
 * simulation
 * @param edits the replacements that make the fault
 */
public record Mutant(String name, String net, List<Edit> edits) {

	private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

	private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

	private static final ReentrantLock COMPILING = new ReentrantLock();

	private static final Path PACKAGE = Path.of("io/github/distlock");

	static Mutant parse(String[] rows) {
		String[] names = rows[0].strip().split(" \\| ");
		return new Mutant(names[0], (names.length > 1) ? names[1] : "",
				Arrays.stream(rows).skip(1).map(Edit::parse).toList());
	}

	/**
	 * Create the mutant in a folder. Its classes replace those after it on the class
	 * path.
	 */
	public void applyTo(Path folder) throws IOException {
		List<String> sources = new ArrayList<>();
		for (Map.Entry<Path, String> changed : texts().entrySet()) {
			boolean source = changed.getKey().toString().endsWith(".java");
			Path file = folder.resolve(source ? "sources" : "classes").resolve(changed.getKey());
			Files.createDirectories(file.getParent());
			Files.writeString(file, changed.getValue());
			if (source) {
				sources.add(file.toString());
			}
		}
		compile(sources, folder.resolve("classes"));
	}

	/** Return the changed texts. Each text that an edit replaces must be found. */
	Map<Path, String> texts() throws IOException {
		Map<Path, String> texts = new LinkedHashMap<>();
		for (Edit edit : this.edits) {
			String before = texts.get(edit.file);
			texts.put(edit.file, edit.apply((before != null) ? before : edit.read()));
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
	 * One replacement of a text, which occurs exactly once, in one class or script. The
	 * name of the file begins with the base package.
	 */
	record Edit(Path file, String text, String replacement) {

		private static Edit parse(String row) {
			String[] words = row.strip().split(": ", 2);
			String[] texts = words[1].split(" *=>", 2);
			String file = words[0].endsWith(".lua") ? "backend/redis/" + words[0] : words[0];
			return new Edit(PACKAGE.resolve(file), texts[0], texts[1].strip());
		}

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

		private String read() throws IOException {
			String root = this.file.toString().endsWith(".java") ? "src/main/java" : "src/main/resources";
			return Files.readString(Path.of(root).resolve(this.file));
		}

	}

}
