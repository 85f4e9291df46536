package io.github.distlock.lab.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.distlock.lab.runs.Strategy;

/**
 * Cuts the lines that matter out of the source of a strategy: the annotations of the
 * class, one method, and the methods and records of the same class that it uses; and of
 * the shop's repository the code that it calls. Relies on the layout that the formatter
 * of this project makes.
 */
public final class SourceCode {

	/** Where the build copies the sources to. */
	private static final String FOLDER = "/lab/source/";

	private static final Pattern COMMENT = Pattern.compile("(?ms)^[ \\t]*/\\*.*?\\*/\\R|^[ \\t]*//.*?$\\R");

	private static final Pattern CLASS = Pattern
		.compile("(?ms)^((?:@.*?\\R)*)(?:public )?(?:final )?class [^{]*\\{\\R");

	/**
	 * What strategies call for the read, the check and the write: they are shown, too.
	 */
	private static final Pattern REPOSITORY = Pattern.compile("this\\.stock\\.(sell)\\(");

	private static final Pattern RECORD = Pattern.compile("^(?:private |public )?record (\\w+)\\(");

	private static final Pattern METHOD = Pattern.compile("^(?:[\\w.]+ )*[\\w.<>?\\[\\], ]+ (\\w+)\\(");

	private static final Pattern CALL = Pattern.compile("\\b(\\w+)\\(");

	/** Any number of arguments. */
	private static final int ANY = -1;

	private SourceCode() {
	}

	/**
	 * Read the lines of a strategy.
	 * @param source names the file and the method
	 * @return Java code
	 * @throws UncheckedIOException if the source is not in the class path
	 */
	public static String of(Strategy.Source source) {
		String own = cut(read(source.file()), source.method());
		Matcher called = REPOSITORY.matcher(own);
		return called.find()
				? own + "\n\n" + cut(read("shop/StockRepository"), called.group(1), arguments(own, called.end())) : own;
	}

	private static String read(String source) {
		String name = FOLDER + source + ".java";
		try (InputStream code = SourceCode.class.getResourceAsStream(name)) {
			if (code == null) {
				throw new IOException(
						"The source '%s' is not in the class path: build the module with Maven".formatted(name));
			}
			return new String(code.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Cut the lines out of a source.
	 * @param source Java code
	 * @param method the method to show
	 * @return the lines
	 */
	static String cut(String source, String method) {
		return cut(source, method, ANY);
	}

	private static String cut(String source, String method, int arguments) {
		String code = COMMENT.matcher(source.replace("\r\n", "\n")).replaceAll("");
		Matcher head = CLASS.matcher(code);
		if (!head.find()) {
			throw new IllegalArgumentException("There is no class in: " + source);
		}
		String body = code.substring(head.end(), code.lastIndexOf('}'));
		List<String> members = List.of(body.strip().split("\\n\\n(?=\\t[^\\s}])"));
		Set<String> shown = new LinkedHashSet<>();
		collect(method, arguments, members, shown);
		List<String> parts = new ArrayList<>(members);
		parts.retainAll(shown);
		return head.group().strip() + "\n\n"
				+ parts.stream()
					.map((part) -> part.startsWith("\t") ? part : "\t" + part)
					.collect(Collectors.joining("\n\n"))
				+ "\n\n}";
	}

	private static void collect(String method, int arguments, List<String> members, Set<String> shown) {
		for (String member : members) {
			if (is(member, method, arguments) && shown.add(member)) {
				int body = member.indexOf('{');
				Matcher called = CALL.matcher(member);
				for (boolean found = called.find(body); found; found = called.find()) {
					collect(called.group(1), arguments(member, called.end()), members, shown);
				}
			}
		}
	}

	/**
	 * Return whether a member of a class is a method or a record of a name. Methods of
	 * one name differ in the number of their parameters.
	 */
	private static boolean is(String member, String name, int arguments) {
		String declaration = declaration(member);
		Matcher type = RECORD.matcher(declaration);
		Matcher method = METHOD.matcher(declaration);
		Matcher head = type.find() ? type : method;
		return (head == type || (!declaration.contains("=") && method.find())) && head.group(1).equals(name)
				&& (arguments == ANY || arguments(declaration, head.end()) == arguments);
	}

	/** The first line of a member, after its annotations. */
	private static String declaration(String member) {
		return member.lines().map(String::strip).filter((line) -> !line.startsWith("@")).findFirst().orElse("");
	}

	/**
	 * Count the arguments of a call, or the parameters of a method.
	 * @param code Java code
	 * @param start the place after the opening parenthesis
	 */
	private static int arguments(String code, int start) {
		int depth = 0;
		int commas = 0;
		int end = start;
		while (end < code.length() && (depth > 0 || code.charAt(end) != ')')) {
			char next = code.charAt(end);
			depth += (next == '(' || next == '<') ? 1 : (next == ')' || next == '>') ? -1 : 0;
			commas += (next == ',' && depth == 0) ? 1 : 0;
			end++;
		}
		return code.substring(start, end).isBlank() ? 0 : commas + 1;
	}

}
