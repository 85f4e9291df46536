package io.github.distlock.docs;

import java.util.Arrays;
import java.util.List;

/**
 * A block of code of a page.
 *
 * @param page the page, relative to the root of the repository
 * @param line the number of the first line of the code in the page
 * @param info the text after the opening fence, such as {@code java} or
 * {@code sql postgresql}
 * @param fenced whether the block is between fences; otherwise it is indented
 * @param text the code
 */
public record CodeBlock(String page, int line, String info, boolean fenced, String text) {

	public String language() {
		return words().get(0);
	}

	/** Return the other words of the info text, which say how the block is checked. */
	public List<String> marks() {
		return words().subList(1, words().size());
	}

	public String place() {
		return this.page + ":" + this.line;
	}

	private List<String> words() {
		return Arrays.asList(this.info.split("\\s+"));
	}

	@Override
	public String toString() {
		return place() + " (" + this.info + ")";
	}

}
