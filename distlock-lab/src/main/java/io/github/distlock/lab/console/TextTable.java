package io.github.distlock.lab.console;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A table as text: a head of one or more lines, a rule, and for each row a line of cells
 * and, below it, a remark.
 *
 * @param <R> the type of the rows
 * @param columns the columns
 * @param remark returns the text below a row; an empty text is left out
 */
record TextTable<R>(List<Column<R>> columns, Function<R, String> remark) {

	TextTable {
		columns = List.copyOf(columns);
	}

	/**
	 * Lay the table out.
	 * @param rows the rows
	 * @return the lines
	 */
	String of(List<R> rows) {
		List<List<String>> cells = rows.stream().map(this::cells).toList();
		List<List<String>> heads = this.columns.stream().map((column) -> column.head().lines().toList()).toList();
		int[] widths = IntStream.range(0, this.columns.size())
			.map((column) -> Math.max(widest(heads.get(column)),
					widest(cells.stream().map((row) -> row.get(column)).toList())))
			.toArray();
		String gap = gap(widths);
		List<String> lines = new ArrayList<>();
		int height = heads.stream().mapToInt(List::size).max().orElse(0);
		for (int line = 0; line < height; line++) {
			int fromBottom = height - line;
			lines.add(line(widths, gap,
					heads.stream()
						.map((head) -> (head.size() >= fromBottom) ? head.get(head.size() - fromBottom) : "")
						.toList()));
		}
		lines.add(IntStream.of(widths).mapToObj("-"::repeat).collect(Collectors.joining(gap)));
		for (int row = 0; row < rows.size(); row++) {
			lines.add(line(widths, gap, cells.get(row)));
			String text = this.remark.apply(rows.get(row));
			if (!text.isEmpty()) {
				lines.add("    " + text);
			}
		}
		return String.join(System.lineSeparator(), lines);
	}

	private List<String> cells(R row) {
		return this.columns.stream().map((column) -> column.cell().apply(row)).toList();
	}

	private String line(int[] widths, String gap, List<String> cells) {
		return IntStream.range(0, widths.length)
			.mapToObj((column) -> this.columns.get(column).pad(cells.get(column), widths[column]))
			.collect(Collectors.joining(gap))
			.stripTrailing();
	}

	/** Two spaces, or one if the table would be wider than the console. */
	private static String gap(int[] widths) {
		int gaps = widths.length - 1;
		return (IntStream.of(widths).sum() + 2 * gaps <= Console.COLUMNS) ? "  " : " ";
	}

	private static int widest(List<String> cells) {
		ToIntFunction<String> columns = Colour::columns;
		return cells.stream().mapToInt(columns).max().orElse(0);
	}

	/**
	 * A column.
	 *
	 * @param <R> the type of the rows
	 * @param head its name, on one or more lines
	 * @param isText whether its cells begin at the left, as text does; numbers end at the
	 * right
	 * @param cell returns the cell of a row
	 */
	record Column<R>(String head, boolean isText, Function<R, String> cell) {

		static <R> Column<R> text(String head, Function<R, String> cell) {
			return new Column<>(head, true, cell);
		}

		static <R> Column<R> number(String head, Function<R, ? extends Number> cell) {
			return new Column<>(head, false, (row) -> String.valueOf(cell.apply(row)));
		}

		String pad(String cell, int width) {
			String space = " ".repeat(width - Colour.columns(cell));
			return this.isText ? cell + space : space + cell;
		}

	}

}
