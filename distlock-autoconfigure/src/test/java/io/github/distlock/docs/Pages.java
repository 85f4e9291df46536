package io.github.distlock.docs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.springframework.util.function.ThrowingSupplier;

/**
 * The pages of the documentation and their blocks of code.
 */
public final class Pages {

	static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

	private static final Pattern FENCE = Pattern.compile("(\\s*)(`{3,}|~{3,})\\s*(.*?)\\s*");

	private static final Pattern INLINE = Pattern.compile("`([^`\n]+)`");

	private static final Pattern LIST_ITEM = Pattern.compile("\\s{0,3}(?:[-*+]|\\d+[.)])\\s.*");

	private static final String INDENT = "    ";

	private Pages() {
	}

	public static List<String> all() {
		List<String> pages = new ArrayList<>();
		for (String folder : List.of("", ".github", "sample-inventory-app", "distlock-lab", "docs")) {
			int depth = folder.equals("docs") ? Integer.MAX_VALUE : 1;
			try (Stream<Path> files = ThrowingSupplier.of(() -> Files.walk(ROOT.resolve(folder), depth)).get()) {
				files.map((file) -> ROOT.relativize(file).toString().replace('\\', '/'))
					.filter((name) -> name.matches("docs/.*\\.md"
							+ "|(?:.*/)?(?:README|CONTRIBUTING|SECURITY|SUPPORT|CODE_OF_CONDUCT)[\\w.-]*\\.md"))
					.sorted()
					.forEach(pages::add);
			}
		}
		return pages;
	}

	public static String text(String page) {
		return ThrowingSupplier.of(() -> Files.readString(ROOT.resolve(page))).get();
	}

	/**
	 * Return the blocks of all pages, {@code llms.txt} included, but not of translations,
	 * which have the same code ({@code LinkTests}).
	 */
	public static List<CodeBlock> blocks() {
		return Stream.concat(all().stream(), Stream.of("llms.txt"))
			.filter((page) -> !page.endsWith(".zh-CN.md"))
			.flatMap((page) -> blocks(page, text(page)).stream())
			.toList();
	}

	/**
	 * Return the code that is inside of text: what is between backticks, outside of
	 * blocks.
	 */
	public static List<String> inlineCode(String page) {
		String text = text(page).replaceAll("(?ms)^\\s*(`{3,}).*?^\\s*\\1\\s*$", "");
		return INLINE.matcher(text).results().map((code) -> code.group(1)).toList();
	}

	/**
	 * Return the lines of all blocks of code of a text that are not blank, without their
	 * indentation.
	 */
	public static List<String> codeLines(String text) {
		return blocks("", text).stream()
			.flatMap((block) -> block.text().lines())
			.map(String::strip)
			.filter((line) -> !line.isEmpty())
			.toList();
	}

	static List<CodeBlock> blocks(String page, String text) {
		List<CodeBlock> blocks = new ArrayList<>();
		List<String> lines = text.lines().toList();
		boolean list = false;
		boolean afterBlank = true;
		for (int index = 0; index < lines.size(); index++) {
			String line = lines.get(index);
			Matcher fence = FENCE.matcher(line);
			if (fence.matches()) {
				int end = end(lines, index + 1, fence.group(2));
				blocks.add(new CodeBlock(page, index + 2, fence.group(3).isEmpty() ? "none" : fence.group(3), true,
						text(lines.subList(index + 1, end), fence.group(1).length())));
				index = end;
			}
			else if (afterBlank && !list && line.startsWith(INDENT) && !line.isBlank()) {
				int end = index;
				while (end < lines.size() && (lines.get(end).startsWith(INDENT) || lines.get(end).isBlank())) {
					end++;
				}
				blocks.add(new CodeBlock(page, index + 1, "none", false,
						text(lines.subList(index, end), INDENT.length())));
				index = end - 1;
			}
			else if (!line.isBlank() && !line.startsWith(" ")) {
				list = LIST_ITEM.matcher(line).matches();
			}
			afterBlank = lines.get(Math.min(index, lines.size() - 1)).isBlank();
		}
		return blocks;
	}

	private static int end(List<String> lines, int start, String fence) {
		for (int index = start; index < lines.size(); index++) {
			if (lines.get(index).strip().equals(fence)) {
				return index;
			}
		}
		throw new IllegalArgumentException("No end of the block of code after '" + lines.get(start) + "'");
	}

	private static String text(List<String> lines, int indentation) {
		StringBuilder text = new StringBuilder();
		lines.forEach((line) -> text.append(line, Math.min(indentation, line.length()), line.length()).append('\n'));
		return text.toString();
	}

}
