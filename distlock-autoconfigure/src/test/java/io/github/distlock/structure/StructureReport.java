package io.github.distlock.structure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Measures the main sources of all published modules: lines, cycles of classes, catches,
 * words, names.
 */
final class StructureReport {

	private static final Pattern PERSONS = Pattern.compile("\\b(?:nobody|somebody|whoever)\\b",
			Pattern.CASE_INSENSITIVE);

	/** The row of everything that is not Java: scripts, statements, messages. */
	static final String RESOURCES = "(resources)";

	private static final String BASE = "io.github.distlock";

	private final List<Path> sources;

	private final List<SourceFile> files;

	private final ClassGraph graph;

	/** Reads a checkout, which need not be compiled. */
	StructureReport(Path root) throws IOException {
		this.sources = publishedSources(root);
		this.files = SourceParser
			.parse(this.sources.stream().map((main) -> main.resolve("java")).filter(Files::isDirectory).toList());
		this.graph = new ClassGraph(this.files);
	}

	private static List<Path> publishedSources(Path root) throws IOException {
		try (Stream<Path> modules = Files.list(root)) {
			return modules.filter((module) -> Files.isDirectory(module.resolve("src/main")))
				.filter((module) -> !SourceParser.text(module.resolve("pom.xml"))
					.contains("<maven.deploy.skip>true</maven.deploy.skip>"))
				.sorted()
				.map((module) -> module.resolve("src/main"))
				.toList();
		}
	}

	/** The figures that have budgets, by package. */
	Map<String, PackageFigures> figures() throws IOException {
		Map<String, PackageFigures> figures = new TreeMap<>();
		for (SourceFile file : this.files) {
			figures.merge(shortName(file.packageName()), new PackageFigures(file.codeLines(), file.broadCatches(), 0),
					PackageFigures::and);
		}
		for (Set<String> cycle : cycles()) {
			String type = cycle.iterator().next();
			figures.merge(shortName(type.substring(0, type.lastIndexOf('.'))), new PackageFigures(0, 0, cycle.size()),
					PackageFigures::and);
		}
		figures.put(RESOURCES, new PackageFigures(resourceLines(), 0, 0));
		return figures;
	}

	/** The figures of the library itself: without resources and test support. */
	Map<String, PackageFigures> library() throws IOException {
		Map<String, PackageFigures> library = figures();
		library.keySet().removeAll(Set.of(RESOURCES, "contract", "test", "test.audit"));
		return library;
	}

	/** The number of top-level types, by package. */
	Map<String, Long> types() {
		return this.files.stream()
			.collect(Collectors.groupingBy((file) -> shortName(file.packageName()), Collectors.counting()));
	}

	/** The code lines of a top-level type. */
	int codeLines(String name) {
		return this.files.stream()
			.filter((file) -> file.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("No class has the name " + name))
			.codeLines();
	}

	private static String shortName(String packageName) {
		return packageName.equals(BASE) ? "(root)" : packageName.substring(BASE.length() + 1);
	}

	/** The lines of all resources, except for blank lines, comments and META-INF. */
	private int resourceLines() throws IOException {
		int lines = 0;
		for (Path main : this.sources) {
			Path resources = main.resolve("resources");
			for (Path file : files(main)) {
				if (file.startsWith(resources) && !file.startsWith(resources.resolve("META-INF"))) {
					lines += (int) SourceParser.text(file)
						.lines()
						.map(String::strip)
						.filter((line) -> !line.isEmpty() && !line.startsWith("--") && !line.startsWith("#"))
						.count();
				}
			}
		}
		return lines;
	}

	private static List<Path> files(Path folder) throws IOException {
		try (Stream<Path> paths = Files.walk(folder)) {
			return paths.filter(Files::isRegularFile).sorted().toList();
		}
	}

	/** The cycles of classes inside a package, the largest first. */
	List<Set<String>> cycles() {
		return this.graph.cycles();
	}

	/** The simple names shared by more than one type, nested types included. */
	Set<String> duplicateNames() {
		Set<String> seen = new HashSet<>();
		return this.files.stream()
			.flatMap((file) -> Stream.concat(Stream.of(file.name()), file.nestedTypes().stream()))
			.filter((name) -> !seen.add(name))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	/** The lines that use a pronoun for persons. */
	List<String> persons() throws IOException {
		List<String> places = new ArrayList<>();
		for (Path main : this.sources) {
			for (Path path : files(main)) {
				List<String> lines = SourceParser.text(path).lines().toList();
				for (int i = 0; i < lines.size(); i++) {
					Matcher matcher = PERSONS.matcher(lines.get(i));
					while (matcher.find()) {
						places.add(path.getFileName() + ":" + (i + 1) + " " + lines.get(i).strip());
					}
				}
			}
		}
		return places;
	}

	/** The whole report as text. */
	String text() throws IOException {
		StringBuilder text = new StringBuilder();
		line(text, "top-level types", this.files.size());
		line(text, "code lines", this.files.stream().mapToInt(SourceFile::codeLines).sum());
		line(text, "broad catches", this.files.stream().mapToInt(SourceFile::broadCatches).sum());
		line(text, "package, code lines, catches, largest cycle", "");
		figures().forEach((name, figures) -> text.append(figures.row(name)).append('\n'));
		line(text, "classes of each cycle", "");
		cycles().forEach((cycle) -> text.append("  ").append(cycle.size()).append(' ').append(cycle).append('\n'));
		return text.toString();
	}

	private static void line(StringBuilder text, String name, Object value) {
		text.append(String.format("%-48s %s%n", name, value));
	}

}
