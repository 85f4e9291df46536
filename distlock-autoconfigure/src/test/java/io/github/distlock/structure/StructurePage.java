package io.github.distlock.structure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The tables of docs/maintainers/structure.md, with what is counted now. What no source
 * shows, and the columns of an earlier commit, stay as they are.
 */
final class StructurePage {

	private static final Path PAGE = Path.of("..", "docs", "maintainers", "structure.md");

	private static final Pattern CLASS = Pattern.compile("`(\\w+)`");

	private final StructureReport report;

	/** The cells of the column of today, by the names of their rows. */
	private final Map<String, String> figures;

	/**
	 * Create the page.
	 * @param most the most methods, and the most fields, of a class of the engine
	 */
	StructurePage(StructureReport report, String most) throws IOException {
		this.report = report;
		Map<String, PackageFigures> all = report.figures();
		Map<String, PackageFigures> library = report.library();
		PackageFigures sum = library.values().stream().reduce(new PackageFigures(0, 0, 0), PackageFigures::and);
		this.figures = Map.of("code lines of the library", number(sum.codeLines()),
				"of these the engine: `engine` and `registry`", lines(library, "engine", "registry"), "top-level types",
				number(types(library.keySet())), "of these in the engine", number(types(List.of("engine", "registry"))),
				"most methods, and most fields, of a class of the engine", most, "broad catches",
				number(sum.broadCatches()), "largest cycle", number(sum.largestCycle()),
				"lines of Lua, SQL, messages and HTML", lines(all, StructureReport.RESOURCES),
				"code lines of the contract kit; of the test slice; of the audit",
				lines(all, "contract") + "; " + lines(all, "test") + "; " + lines(all, "test.audit"));
	}

	private static String lines(Map<String, PackageFigures> figures, String... packages) {
		return number(
				Stream.of(packages).mapToLong((name) -> Objects.requireNonNull(figures.get(name)).codeLines()).sum());
	}

	private long types(Collection<String> packages) {
		return packages.stream().mapToLong((name) -> this.report.types().getOrDefault(name, 0L)).sum();
	}

	/** The lines with the figures of now, after those of the page where they differ. */
	List<String> stale() throws IOException {
		List<String> today = today();
		List<String> page = Files.readAllLines(PAGE);
		List<String> stale = new ArrayList<>(page);
		stale.removeAll(today);
		today.stream().filter((line) -> !page.contains(line)).map((line) -> "now: " + line).forEach(stale::add);
		return stale;
	}

	void write() throws IOException {
		Files.writeString(PAGE, String.join("\n", today()) + "\n");
	}

	private List<String> today() throws IOException {
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
				cells[5] = " " + this.figures.getOrDefault(cells[1].strip(), cells[5].strip()) + " ";
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
		Map<String, Long> types = this.report.types();
		this.report.library()
			.forEach((name,
					figures) -> rows.add("| " + (name.equals("(root)") ? name : "`" + name + "`") + " |"
							+ cell(figures.codeLines()) + "|" + cell(types.getOrDefault(name, 0L)) + "|"
							+ cell(figures.broadCatches()) + "|" + cell(figures.largestCycle()) + "|"));
		return rows;
	}

	/** The code lines of the classes that a cell names. */
	private long linesOf(String cell) {
		long lines = 0;
		for (Matcher named = CLASS.matcher(cell); named.find();) {
			lines += this.report.codeLines(named.group(1));
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
