package io.github.distlock.structure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

/**
 * Measures the main sources of one module: types, lines, cycles and references of
 * classes, words, names.
 */
final class StructureReport {

	private static final Pattern PERSONS = Pattern.compile("\\b(?:nobody|somebody|whoever)\\b",
			Pattern.CASE_INSENSITIVE);

	private final Path main;

	private final List<SourceFile> files;

	private final JavaClasses classes;

	private final ClassGraph graph;

	/**
	 * Reads a module.
	 * @param module the folder of the module, which must have been compiled
	 */
	StructureReport(Path module) throws IOException {
		this.main = module.resolve("src/main");
		this.files = SourceFile.under(this.main.resolve("java"));
		Set<String> sources = this.files.stream().map(SourceFile::typeName).collect(Collectors.toSet());
		this.classes = new ClassFileImporter().importPath(module.resolve("target/classes"))
			.that(DescribedPredicate.describe("have a source file",
					(type) -> sources.contains(ClassGraph.topLevel(type))));
		this.graph = new ClassGraph(this.classes);
	}

	/** The cycles of classes inside a package, the largest first. */
	List<Set<String>> cycles() {
		return this.graph.cycles();
	}

	/**
	 * The simple names shared by more than one type, nested types included, with their
	 * types.
	 */
	Map<String, Set<String>> duplicateNames() {
		Map<String, Set<String>> types = new TreeMap<>();
		for (JavaClass type : this.classes) {
			if (!type.isAnonymousClass() && !type.getSimpleName().equals("package-info")) {
				types.computeIfAbsent(type.getSimpleName(), (name) -> new TreeSet<>()).add(type.getName());
			}
		}
		types.values().removeIf((names) -> names.size() < 2);
		return types;
	}

	/** The lines that use a pronoun for persons. */
	List<String> persons() throws IOException {
		List<String> places = new ArrayList<>();
		try (Stream<Path> paths = Files.walk(this.main)) {
			for (Path path : paths.filter(Files::isRegularFile).sorted().toList()) {
				List<String> lines = SourceFile.text(path).lines().toList();
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
		int[] sizes = this.files.stream().mapToInt(SourceFile::lines).sorted().toArray();
		long isPublic = this.files.stream().filter(SourceFile::isPublic).count();
		SourceFile largest = this.files.stream().max((a, b) -> a.lines() - b.lines()).orElseThrow();
		line(text, "top-level types", this.files.size());
		line(text, "nested types",
				this.classes.stream().filter((type) -> type.isNestedClass() && !type.isAnonymousClass()).count());
		line(text, "lines", this.files.stream().mapToInt(SourceFile::lines).sum());
		line(text, "code lines", this.files.stream().mapToInt(SourceFile::codeLines).sum());
		line(text, "median file", sizes[sizes.length / 2]);
		line(text, "largest file", largest.lines() + " (" + largest.name() + ")");
		line(text, "public / package-private types", isPublic + " / " + (this.files.size() - isPublic));
		line(text, "cycles of classes, by size", cycles().stream().map(Set::size).toList());
		line(text, "duplicate simple names", duplicateNames().keySet());
		line(text, "nobody, somebody, whoever", persons().size());
		line(text, "arrows between the classes of a package", "");
		this.graph.arrowsByPackage().forEach((name, arrows) -> line(text, "  " + name, arrows));
		line(text, "classes of each cycle", "");
		cycles().forEach((cycle) -> text.append("  ").append(cycle.size()).append(' ').append(cycle).append('\n'));
		return text.toString();
	}

	private static void line(StringBuilder text, String name, Object value) {
		text.append(String.format("%-42s %s%n", name, value));
	}

}
