package io.github.distlock.structure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.structure.SourceParser.SourceFile;

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

	/**
	 * The references between the top-level types of each package, as the sources name
	 * them. References of a nested type count for its enclosing type.
	 */
	private final Map<String, Set<String>> arrows = new TreeMap<>();

	/** Reads a checkout, which need not be compiled. */
	StructureReport(Path root) throws IOException {
		this.sources = publishedSources(root);
		this.files = SourceParser
			.parse(this.sources.stream().map((main) -> main.resolve("java")).filter(Files::isDirectory).toList());
		Set<String> types = this.files.stream().map(SourceFile::typeName).collect(Collectors.toSet());
		for (SourceFile file : this.files) {
			this.arrows.put(file.typeName(),
					file.names()
						.stream()
						.map((name) -> file.packageName() + "." + name)
						.filter((name) -> types.contains(name) && !name.equals(file.typeName()))
						.collect(Collectors.toCollection(TreeSet::new)));
		}
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

	Map<String, Long> types() {
		return this.files.stream()
			.collect(Collectors.groupingBy((file) -> shortName(file.packageName()), Collectors.counting()));
	}

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

	/** The simple names shared by more than one type, nested types included. */
	Set<String> duplicateNames() {
		Set<String> seen = new HashSet<>();
		return this.files.stream()
			.flatMap((file) -> Stream.concat(Stream.of(file.name()), file.nestedTypes().stream()))
			.filter((name) -> !seen.add(name))
			.collect(Collectors.toCollection(TreeSet::new));
	}

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

	/**
	 * The figures of a package that have budgets.
	 *
	 * @param codeLines its lines of code
	 * @param broadCatches how often it catches Throwable, Error or RuntimeException
	 * @param largestCycle the number of types in its largest cycle, or 0
	 */
	record PackageFigures(int codeLines, int broadCatches, int largestCycle) {

		/** The size of a cycle that needs no budget. */
		private static final int SMALL_CYCLE = 3;

		PackageFigures and(PackageFigures other) {
			return new PackageFigures(this.codeLines + other.codeLines, this.broadCatches + other.broadCatches,
					Math.max(this.largestCycle, other.largestCycle));
		}

		/** What is above a budget, in sentences. */
		List<String> excess(String packageName, PackageFigures budget) {
			List<String> excess = new ArrayList<>();
			check(excess, packageName + " has %d code lines", this.codeLines, budget.codeLines);
			check(excess, packageName + " has %d catches of Throwable, Error or RuntimeException", this.broadCatches,
					budget.broadCatches);
			check(excess, packageName + " has a cycle of %d types", this.largestCycle,
					Math.max(budget.largestCycle, SMALL_CYCLE));
			return excess;
		}

		private static void check(List<String> excess, String figure, int counted, int budget) {
			if (counted > budget) {
				excess.add(String.format(figure + ", %d above its budget of %d", counted, counted - budget, budget));
			}
		}

		/** Reads a table: the name of a package and its three figures on each line. */
		static Map<String, PackageFigures> table(String rows) {
			Map<String, PackageFigures> table = new TreeMap<>();
			rows.lines()
				.map((row) -> row.split(" +"))
				.forEach((cells) -> table.put(cells[0], new PackageFigures(Integer.parseInt(cells[1]),
						Integer.parseInt(cells[2]), Integer.parseInt(cells[3]))));
			return table;
		}

	}

	/**
	 * The cycles, the largest first: maximal sets of types in which each type reaches
	 * each other one.
	 */
	List<Set<String>> cycles() {
		Map<String, Set<String>> reached = new HashMap<>();
		this.arrows.keySet().forEach((type) -> reached.put(type, reachedFrom(type)));
		List<Set<String>> cycles = new ArrayList<>();
		Set<String> seen = new LinkedHashSet<>();
		for (String type : this.arrows.keySet()) {
			Set<String> cycle = new TreeSet<>();
			reached.getOrDefault(type, Set.of())
				.stream()
				.filter((other) -> reached.getOrDefault(other, Set.of()).contains(type))
				.forEach(cycle::add);
			if (cycle.size() > 1 && seen.addAll(cycle)) {
				cycles.add(cycle);
			}
		}
		cycles.sort(Comparator.comparing((Set<String> cycle) -> -cycle.size()));
		return cycles;
	}

	private Set<String> reachedFrom(String type) {
		Set<String> reached = new LinkedHashSet<>();
		Deque<String> open = new ArrayDeque<>(this.arrows.getOrDefault(type, Set.of()));
		while (!open.isEmpty()) {
			String next = open.pop();
			if (reached.add(next)) {
				open.addAll(this.arrows.getOrDefault(next, Set.of()));
			}
		}
		return reached;
	}

	private static final Path PAGE = Path.of("..", "docs", "maintainers", "structure.md");

	private static final Pattern CLASS = Pattern.compile("`(\\w+)`");

	/** The cells of the column of today on the page, by the names of their rows. */
	private Map<String, String> cells(String most) throws IOException {
		Map<String, PackageFigures> all = figures();
		Map<String, PackageFigures> library = library();
		PackageFigures sum = library.values().stream().reduce(new PackageFigures(0, 0, 0), PackageFigures::and);
		return Map.of("code lines of the library", number(sum.codeLines()),
				"of these the engine: `engine` and `registry`", lines(library, "engine", "registry"), "top-level types",
				number(types(library.keySet())), "of these in the engine", number(types(List.of("engine", "registry"))),
				"most methods, and most fields, of a class of the engine", most, "broad catches",
				number(sum.broadCatches()), "largest cycle", number(sum.largestCycle()),
				"lines of Lua, SQL, messages and HTML", lines(all, RESOURCES),
				"code lines of the contract kit; of the test slice; of the audit",
				lines(all, "contract") + "; " + lines(all, "test") + "; " + lines(all, "test.audit"));
	}

	private static String lines(Map<String, PackageFigures> figures, String... packages) {
		return number(
				Stream.of(packages).mapToLong((name) -> Objects.requireNonNull(figures.get(name)).codeLines()).sum());
	}

	private long types(Collection<String> packages) {
		return packages.stream().mapToLong((name) -> types().getOrDefault(name, 0L)).sum();
	}

	/** The lines with the figures of now, after those of the page where they differ. */
	List<String> stale(String most) throws IOException {
		List<String> today = today(most);
		List<String> page = Files.readAllLines(PAGE);
		List<String> stale = new ArrayList<>(page);
		stale.removeAll(today);
		today.stream().filter((line) -> !page.contains(line)).map((line) -> "now: " + line).forEach(stale::add);
		return stale;
	}

	void write(String most) throws IOException {
		Files.writeString(PAGE, String.join("\n", today(most)) + "\n");
	}

	/**
	 * The lines of the page with what is counted now. What no source shows, and the
	 * columns of an earlier commit, stay as they are.
	 */
	private List<String> today(String most) throws IOException {
		Map<String, String> cellsOfToday = cells(most);
		List<String> today = new ArrayList<>();
		String header = "";
		for (String line : Files.readAllLines(PAGE)) {
			String[] cells = line.split("(?<=\\|)|(?=\\|)", -1);
			header = !line.startsWith("|") ? "" : header.isEmpty() ? line : header;
			boolean body = !header.isEmpty() && !line.equals(header) && !line.startsWith("|--");
			if (header.startsWith("| package") && body) {
				continue;
			}
			if (header.startsWith("| concern") && body) {
				cells[3] = cell(linesOf(cells[5]));
			}
			else if (header.startsWith("| | 86682c31 | today") && body) {
				cells[5] = " " + cellsOfToday.getOrDefault(cells[1].strip(), cells[5].strip()) + " ";
			}
			today.add(String.join("", cells));
			if (header.startsWith("| package") && line.startsWith("|--")) {
				today.addAll(packages());
			}
		}
		return today;
	}

	private List<String> packages() throws IOException {
		List<String> rows = new ArrayList<>();
		Map<String, Long> types = types();
		library().forEach((name,
				figures) -> rows.add("| " + (name.equals("(root)") ? name : "`" + name + "`") + " |"
						+ cell(figures.codeLines()) + "|" + cell(types.getOrDefault(name, 0L)) + "|"
						+ cell(figures.broadCatches()) + "|" + cell(figures.largestCycle()) + "|"));
		return rows;
	}

	/** The code lines of the classes that a cell names. */
	private long linesOf(String cell) {
		long lines = 0;
		for (Matcher named = CLASS.matcher(cell); named.find();) {
			lines += codeLines(named.group(1));
		}
		return lines;
	}

	private static String number(long number) {
		return String.format(Locale.ROOT, "%,d", number);
	}

	private static String cell(long number) {
		return " " + number(number) + " ";
	}

}
