package io.github.distlock.structure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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

	/** The row of a table, as {@link #table} reads it. */
	String row(String packageName) {
		return String.format("%-18s %5d %3d %2d", packageName, this.codeLines, this.broadCatches, this.largestCycle);
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
