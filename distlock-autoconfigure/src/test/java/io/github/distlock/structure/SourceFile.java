package io.github.distlock.structure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Java source file that declares types.
 *
 * @param path where it is
 * @param packageName its package
 * @param name the simple name of its top-level type
 * @param lines all its lines
 * @param codeLines the lines that are neither blank nor part of a comment, nor the
 * package statement or an import
 * @param isPublic whether its top-level type is public
 */
record SourceFile(Path path, String packageName, String name, int lines, int codeLines, boolean isPublic) {

	private static final Pattern BLOCK_COMMENT = Pattern.compile("(?m)^\\s*/\\*.*?\\*/", Pattern.DOTALL);

	String typeName() {
		return this.packageName + "." + this.name;
	}

	static List<SourceFile> under(Path sources) throws IOException {
		try (Stream<Path> paths = Files.walk(sources)) {
			return paths.filter((path) -> path.toString().endsWith(".java"))
				.filter((path) -> !path.endsWith("package-info.java"))
				.sorted()
				.map((path) -> of(sources, path))
				.toList();
		}
	}

	private static SourceFile of(Path sources, Path path) {
		String name = path.getFileName().toString().replace(".java", "");
		String packageName = Objects.requireNonNull(sources.relativize(path).getParent()).toString().replace('/', '.');
		String text = text(path);
		boolean isPublic = Pattern
			.compile("(?m)^public (?:(?:abstract|final|sealed|non-sealed) )*(?:class|interface|record|enum|@interface) "
					+ name + "\\b")
			.matcher(text)
			.find();
		return new SourceFile(path, packageName, name, (int) text.lines().count(), codeLines(text), isPublic);
	}

	private static int codeLines(String text) {
		return (int) BLOCK_COMMENT.matcher(text)
			.replaceAll("")
			.lines()
			.map(String::strip)
			.filter((line) -> !line.isEmpty() && !line.startsWith("//"))
			.filter((line) -> !line.startsWith("package ") && !line.startsWith("import "))
			.count();
	}

	static String text(Path path) {
		try {
			return Files.readString(path);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
