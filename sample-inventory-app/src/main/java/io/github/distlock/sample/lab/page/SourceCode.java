package io.github.distlock.sample.lab.page;

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

/**
 * Cuts the lines that matter out of the source of a strategy: the annotations of the
 * class, one method, and the methods and records of the same class that it uses; and of
 * the ledger the code that it calls. Relies on the layout that the formatter of this
 * project makes.
 */
final class SourceCode {

	/** Where the build copies the sources to. */
	private static final String FOLDER = "/lab/source/";

	private static final Pattern COMMENT = Pattern.compile("(?ms)^[ \\t]*/\\*.*?\\*/\\R|^[ \\t]*//.*?$\\R");

	private static final Pattern CLASS = Pattern
		.compile("(?ms)^((?:@.*?\\R)*)(?:public )?(?:final )?class [^{]*\\{\\R");

	/**
	 * What strategies call for the read, the check and the write: they are shown, too.
	 */
	private static final Pattern LEDGER = Pattern.compile("ledger\\.(sell\\w*)\\(");

	private static final Pattern RECORD = Pattern.compile("^\\s*(?:private )?record (\\w+)\\(");

	private static final Pattern MEMBER_NAME = Pattern.compile("\\b(\\w+)\\(");

	private SourceCode() {
	}

	/**
	 * Read the lines of a strategy.
	 * @param step names the source and the method
	 * @return Java code
	 * @throws UncheckedIOException if the source is not in the class path
	 */
	static String of(Tour.Step step) {
		String own = cut(read(step.source()), step.method());
		Matcher called = LEDGER.matcher(own);
		return called.find() ? own + "\n\n" + cut(read("inventory/StockLedger"), called.group(1)) : own;
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
		String code = COMMENT.matcher(source.replace("\r\n", "\n")).replaceAll("");
		Matcher head = CLASS.matcher(code);
		if (!head.find()) {
			throw new IllegalArgumentException("There is no class in: " + source);
		}
		String body = code.substring(head.end(), code.lastIndexOf('}'));
		List<String> members = List.of(body.strip().split("\\n\\n(?=\\t[^\\s}])"));
		Set<String> shown = new LinkedHashSet<>();
		collect(method, members, shown);
		List<String> parts = new ArrayList<>(members);
		parts.retainAll(shown);
		return head.group().strip() + "\n\n"
				+ parts.stream()
					.map((part) -> part.startsWith("\t") ? part : "\t" + part)
					.collect(Collectors.joining("\n\n"))
				+ "\n\n}";
	}

	private static void collect(String method, List<String> members, Set<String> shown) {
		for (String member : members) {
			if (name(member).equals(method) && shown.add(member)) {
				Matcher called = MEMBER_NAME.matcher(member.substring(member.indexOf('{')));
				while (called.find()) {
					collect(called.group(1), members, shown);
				}
			}
		}
	}

	/**
	 * Return the name of a method.
	 * @param member a member of the class
	 * @return the name, or an empty text for a field or a constructor
	 */
	private static String name(String member) {
		Matcher type = RECORD.matcher(member);
		if (type.find()) {
			return type.group(1);
		}
		String declaration = member.lines()
			.map(String::strip)
			.filter((line) -> !line.startsWith("@"))
			.findFirst()
			.orElse("");
		Matcher name = Pattern.compile("^(?:[\\w.]+ )*[\\w.<>?\\[\\], ]+ (\\w+)\\(").matcher(declaration);
		return (!declaration.contains("=") && name.find()) ? name.group(1) : "";
	}

}
