package io.github.distlock.docs;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A block of Java as a source file. The block starts in its second line.
 *
 * @param block the block
 * @param kind what the block contains
 */
record JavaSource(CodeBlock block, Kind kind) {

	private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");

	private static final Pattern IMPORT = Pattern.compile("(?m)^import ");

	private static final Pattern TYPE = Pattern.compile(
			"(?m)^(?:public |final |abstract |sealed |non-sealed |static )*(?:class|interface|record|enum|@interface) (\\w+)");

	private static final Pattern PUBLIC_TYPE = Pattern
		.compile("(?m)^public (?:final |abstract |sealed )*(?:class|interface|record|enum|@interface) (\\w+)");

	private static final Pattern ELISION = Pattern.compile("\\{ … }");

	/** Elided bodies may lack their return statement. */
	boolean elided() {
		return ELISION.matcher(this.block.text()).find();
	}

	/** Return the names of the types that the block declares. */
	List<String> types() {
		return (this.kind == Kind.UNIT)
				? TYPE.matcher(this.block.text()).results().map((type) -> type.group(1)).toList() : List.of();
	}

	/** Return the path of the source file that javac expects. */
	String path() {
		Matcher type = PUBLIC_TYPE.matcher(this.block.text());
		String name = (this.kind == Kind.UNIT && type.find()) ? type.group(1) : "Line" + this.block.line();
		return packageName().replace('.', '/') + "/" + name + ".java";
	}

	private String packageName() {
		Matcher declared = PACKAGE.matcher(this.block.text());
		return (this.kind == Kind.UNIT && declared.find()) ? declared.group(1)
				: "pages." + this.block.page().replaceFirst("\\.md$", "").replaceAll("\\W+", "_").toLowerCase();
	}

	/** Return the source. */
	String text() {
		String code = ELISION.matcher(this.block.text()).replaceAll("{   }");
		String start = PACKAGE.matcher(code).find() ? "" : "package " + packageName() + ";";
		return switch (this.kind) {
			case UNIT -> start + (IMPORT.matcher(code).find() || start.isEmpty() ? "" : Imports.TEXT) + "\n" + code;
			case MEMBERS -> start + Imports.TEXT + opening() + "\n" + code + "\n}\n";
			case STATEMENTS ->
				start + Imports.TEXT + opening() + " void example() throws Throwable {\n" + code + "\n}\n}\n";
		};
	}

	private String opening() {
		return " abstract class Line" + this.block.line() + " extends io.github.distlock.docs.examples.Example {";
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
