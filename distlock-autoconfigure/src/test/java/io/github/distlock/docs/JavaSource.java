package io.github.distlock.docs;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A block of Java as a source file. The block starts in its second line.
 *
 * @param block the block
 * @param kind what the block contains
 * @param packageName the package of the page: the first one that it declares, below a
 * package of its own, so that pages do not share types
 */
record JavaSource(CodeBlock block, Kind kind, String packageName) {

	private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");

	private static final Pattern IMPORT = Pattern.compile("(?m)^import ");

	private static final Pattern TYPE = Pattern.compile(
			"(?m)^(?:public |final |abstract |sealed |non-sealed |static )*(?:class|interface|record|enum|@interface) (\\w+)");

	private static final Pattern PUBLIC_TYPE = Pattern
		.compile("(?m)^public (?:final |abstract |sealed )*(?:class|interface|record|enum|@interface) (\\w+)");

	private static final Pattern EXAMPLE = Pattern.compile("(?m)^((?:package|import|import static) )com\\.example\\.");

	private static final Pattern ELISION = Pattern.compile("\\{ … }");

	/** What precedes the body of a type or of a statement. */
	private static final Pattern NO_METHOD = Pattern.compile(
			"^\\s*(?:}|try|if|else|for|while|do|catch|finally|switch)\\b|^\\s*}|->\\s*$|\\b(?:class|interface|enum|record)\\b");

	/** Return the names of the types that the block declares. */
	List<String> types() {
		return (this.kind == Kind.UNIT)
				? TYPE.matcher(this.block.text()).results().map((type) -> type.group(1)).toList() : List.of();
	}

	/** Return the path of the source file that javac expects. */
	String path() {
		Matcher type = PUBLIC_TYPE.matcher(this.block.text());
		String name = (this.kind == Kind.UNIT && type.find()) ? type.group(1) : "Line" + this.block.line();
		return this.packageName.replace('.', '/') + "/" + name + ".java";
	}

	/** Return the name of the package for the blocks of a page. */
	static String packageName(List<CodeBlock> page) {
		return page.stream()
			.flatMap((block) -> PACKAGE.matcher(block.text()).results())
			.map((declared) -> prefix(page.get(0)) + declared.group(1))
			.findFirst()
			.orElseGet(() -> prefix(page.get(0)) + "examples");
	}

	private static String prefix(CodeBlock block) {
		return "pages." + block.page().replaceFirst("\\.md$", "").replaceAll("\\W+", "_").toLowerCase(Locale.ROOT)
				+ ".";
	}

	/** Return the source. */
	String text() {
		String code = this.block.text().lines().map(JavaSource::complete).collect(Collectors.joining("\n"));
		String start = PACKAGE.matcher(code).find() ? "" : "package " + this.packageName + ";";
		code = EXAMPLE.matcher(code).replaceAll("$1" + prefix(this.block) + "com.example.");
		return switch (this.kind) {
			case UNIT -> start + (IMPORT.matcher(code).find() || start.isEmpty() ? "" : Imports.TEXT) + "\n" + code;
			case MEMBERS -> start + Imports.TEXT + opening() + "\n" + code + "\n}\n";
			case STATEMENTS ->
				start + Imports.TEXT + opening() + " void example() throws Throwable {\n" + code + "\n}\n}\n";
		};
	}

	/** Replace a body that is left out, so that the line compiles. */
	private static String complete(String line) {
		Matcher elision = ELISION.matcher(line);
		StringBuilder complete = new StringBuilder();
		while (elision.find()) {
			boolean method = !NO_METHOD.matcher(line.substring(0, elision.start())).find();
			elision.appendReplacement(complete, method ? "{ throw null; }" : "{ }");
		}
		return elision.appendTail(complete).toString();
	}

	private String opening() {
		return " class Line" + this.block.line() + " extends io.github.distlock.docs.examples.Example {";
	}

	/**
	 * What a block contains.
	 */
	enum Kind {

		/** Types. */
		UNIT,

		/** Fields and methods. */
		MEMBERS,

		/** Statements. */
		STATEMENTS

	}

}
