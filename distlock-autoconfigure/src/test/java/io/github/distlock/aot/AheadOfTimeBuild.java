package io.github.distlock.aot;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.springframework.boot.SpringApplicationAotProcessor;

/**
 * Does what the goal {@code process-aot} of Spring Boot's plugin does: generates sources,
 * classes and hints, and compiles the sources. Arguments: the output folder, and those of
 * the application.
 */
final class AheadOfTimeBuild {

	private static final PrintStream OUT = System.out;

	private AheadOfTimeBuild() {
	}

	public static void main(String[] arguments) throws Exception {
		OUT.println("started");
		Path output = Path.of(arguments[0]);
		Path sources = output.resolve("sources");
		Path classes = output.resolve("classes");
		Stream<String> settings = Stream.of(AheadOfTimeRun.class.getName(), sources.toString(), classes.toString(),
				classes.toString(), "io.github.distlock", "ahead-of-time");
		SpringApplicationAotProcessor
			.main(Stream.concat(settings, Stream.of(arguments).skip(1)).toArray(String[]::new));
		compile(sources, classes);
		OUT.println("built");
		System.exit(0);
	}

	private static void compile(Path sources, Path classes) throws IOException {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
				Stream<Path> found = Files.walk(sources)) {
			Iterable<? extends JavaFileObject> units = files
				.getJavaFileObjectsFromPaths(found.filter((file) -> file.toString().endsWith(".java")).toList());
			boolean done = compiler
				.getTask(null, files, null,
						List.of("-proc:none", "-nowarn", "-d", classes.toString(), "-cp",
								classes + File.pathSeparator + System.getProperty("java.class.path")),
						null, units)
				.call();
			if (!done) {
				throw new UncheckedIOException(new IOException("The generated sources do not compile"));
			}
		}
	}

}
