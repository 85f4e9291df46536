package io.github.distlock.docs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The structure of a page: headings, tables, links and images. Code is no part of it.
 */
public final class MarkdownPage {

	private static final Pattern FENCE = Pattern.compile("\\s*(?:`{3,}|~{3,}).*");

	private static final Pattern CODE = Pattern.compile("(`+).+?\\1");

	private static final Pattern HEADING = Pattern.compile("(#{1,6}) +(.+?)(?: +#+)? *");

	private static final Pattern LINK = Pattern.compile("(!?)\\[((?:[^\\[\\]]|\\[[^\\]]*\\])*)\\]\\(([^()\\s]+)\\)");

	private static final Pattern ANCHOR = Pattern.compile("<a (?:id|name)=\"([^\"]+)\"");

	private static final Pattern TABLE = Pattern.compile("\\|(?: *:?-+:? *\\|)+");

	/** What the anchor of a heading does not contain. */
	private static final Pattern PUNCTUATION = Pattern.compile("[^\\p{L}\\p{M}\\p{N}\\p{Pc}\\- ]");

	private final String name;

	private final List<CodeBlock> blocks;

	private final List<String> lines;

	MarkdownPage(String name, String text) {
		this.name = name;
		this.blocks = Pages.blocks(name, text);
		this.lines = new ArrayList<>(text.lines().toList());
		for (CodeBlock block : this.blocks) {
			int count = (int) block.text().lines().count();
			for (int index = block.line() - 1; index < block.line() - 1 + count; index++) {
				this.lines.set(index, "");
			}
		}
		this.lines.replaceAll((line) -> FENCE.matcher(line).matches() ? "" : line);
	}

	public static MarkdownPage of(String name) {
		return new MarkdownPage(name, Pages.text(name));
	}

	List<CodeBlock> blocks() {
		return this.blocks;
	}

	List<Heading> headings() {
		List<Heading> headings = new ArrayList<>();
		Map<String, Integer> counts = new HashMap<>();
		for (String line : this.lines) {
			Matcher heading = HEADING.matcher(line);
			if (heading.matches()) {
				String anchor = anchor(heading.group(2));
				int earlier = counts.merge(anchor, 1, Integer::sum) - 1;
				headings.add(new Heading(heading.group(1).length(), heading.group(2),
						(earlier > 0) ? anchor + "-" + earlier : anchor));
			}
		}
		return headings;
	}

	/** Return all anchors: those of the headings and those that the page declares. */
	public List<String> anchors() {
		List<String> anchors = new ArrayList<>(headings().stream().map(Heading::anchor).toList());
		this.lines
			.forEach((line) -> ANCHOR.matcher(line).results().map((anchor) -> anchor.group(1)).forEach(anchors::add));
		return anchors;
	}

	List<Link> links() {
		List<Link> links = new ArrayList<>();
		for (int index = 0; index < this.lines.size(); index++) {
			int line = index + 1;
			// A link may contain code, but code contains no link.
			String text = CODE.matcher(this.lines.get(index)).replaceAll((code) -> "x".repeat(code.group().length()));
			links(text, line, links);
		}
		return links;
	}

	private void links(String text, int line, List<Link> links) {
		LINK.matcher(text).results().forEach((link) -> {
			links.add(new Link(this.name, line, link.group(3), !link.group(1).isEmpty()));
			links(link.group(2), line, links);
		});
	}

	/**
	 * Return the number of rows, with that of the header, and of columns of each table.
	 */
	List<String> tables() {
		List<String> tables = new ArrayList<>();
		for (int index = 1; index < this.lines.size(); index++) {
			if (TABLE.matcher(this.lines.get(index).strip()).matches()) {
				int end = index + 1;
				while (end < this.lines.size() && this.lines.get(end).strip().startsWith("|")) {
					end++;
				}
				tables.add((end - index) + " rows of " + columns(this.lines.get(index)) + " columns");
				int columns = columns(this.lines.get(index));
				for (int row = index - 1; row < end; row++) {
					if (columns(this.lines.get(row)) != columns) {
						tables.add(this.name + ":" + (row + 1) + " has another number of columns");
					}
				}
			}
		}
		return tables;
	}

	private static int columns(String row) {
		String cells = CODE.matcher(row.strip()).replaceAll("x").replace("\\|", "x");
		return (int) Arrays.stream(cells.split("")).filter("|"::equals).count() - 1;
	}

	/** The rule of GitHub for the anchor of a heading. */
	private static String anchor(String heading) {
		String text = LINK.matcher(heading).replaceAll("$2");
		return PUNCTUATION.matcher(text.toLowerCase(Locale.ROOT)).replaceAll("").replace(' ', '-');
	}

	/** A heading, from level 1 to 6, with the anchor to which a link can lead. */
	record Heading(int level, String text, String anchor) {
	}

	/** A link or an image in a line of a page, and where it leads. */
	record Link(String page, int line, String target, boolean image) {

		boolean isRelative() {
			return !this.target.matches("[a-z]+:.*");
		}

		/**
		 * Return the file to which the link leads, relative to the root of the
		 * repository.
		 */
		String file() {
			String path = this.target.replaceFirst("#.*", "");
			if (path.isEmpty()) {
				return this.page;
			}
			int folder = this.page.lastIndexOf('/') + 1;
			return Pages.ROOT.relativize(Pages.ROOT.resolve(this.page.substring(0, folder)).resolve(path).normalize())
				.toString()
				.replace('\\', '/');
		}

		String anchor() {
			int hash = this.target.indexOf('#');
			return (hash < 0) ? "" : this.target.substring(hash + 1);
		}

		@Override
		public String toString() {
			return this.page + ":" + this.line + ": " + this.target;
		}

	}

}
