package io.github.distlock.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;

/**
 * Compiles blocks of Java, all of them together.
 */
final class JavaBlocks {

	private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

	/** Parsing needs no classes. */
	private static final List<String> TO_PARSE = List.of("--source", "17", "-proc:none", "-nowarn");

	private static final List<String> OPTIONS = List.of("--release", "17", "-proc:none", "-nowarn", "-parameters",
			"-Xmaxerrs", "1000", "-classpath", System.getProperty("java.class.path", ""));

	private JavaBlocks() {
	}

	/**
	 * Compile blocks. Types of a page are visible in its other blocks. A type that a page
	 * declares twice is compiled once with each declaration, into a subfolder of its own.
	 * Returns the errors, each with the line of its page.
	 */
	static Set<String> errors(List<CodeBlock> blocks, Path classes) {
		Set<String> errors = new LinkedHashSet<>();
		List<Map<String, JavaSource>> rounds = new ArrayList<>();
		Map<String, Integer> declared = new HashMap<>();
		try (StandardJavaFileManager files = COMPILER.getStandardFileManager(null, Locale.ROOT, null)) {
			Map<String, String> packages = new HashMap<>();
			blocks.stream()
				.collect(Collectors.groupingBy(CodeBlock::page))
				.forEach((page, ofPage) -> packages.put(page, JavaSource.packageName(ofPage)));
			for (CodeBlock block : blocks) {
				String packageName = packages.getOrDefault(block.page(), "");
				List<Attempt> attempts = List.of(JavaSource.Kind.values())
					.stream()
					.map((kind) -> Attempt.parse(new JavaSource(block, kind, packageName), files))
					.toList();
				Attempt best = attempts.stream().max(Comparator.comparingLong(Attempt::errorAt)).orElseThrow();
				errors.addAll(best.errors());
				if (best.errors().isEmpty()) {
					int round = best.source()
						.types()
						.stream()
						.mapToInt((type) -> declared.merge(block.page() + " " + type, 1, Integer::sum))
						.max()
						.orElse(1);
					while (rounds.size() < round) {
						rounds.add(new LinkedHashMap<>());
					}
					rounds.get(round - 1).put(block.place(), best.source());
				}
			}
			for (int round = 0; round < rounds.size(); round++) {
				Path folder = Files.createDirectories(classes.resolve(String.valueOf(round)));
				files.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(folder));
				errors.addAll(compile(sources(rounds, round), files));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return errors;
	}

	/**
	 * The sources of a round, and those types of the first one that it does not replace.
	 */
	private static List<JavaSource> sources(List<Map<String, JavaSource>> rounds, int round) {
		List<JavaSource> sources = new ArrayList<>(rounds.get(round).values());
		if (round > 0) {
			Set<String> pages = new LinkedHashSet<>();
			Set<String> types = new LinkedHashSet<>();
			sources.forEach((source) -> {
				pages.add(source.block().page());
				source.types().forEach((type) -> types.add(source.block().page() + " " + type));
			});
			rounds.get(0)
				.values()
				.stream()
				.filter((source) -> pages.contains(source.block().page()) && !source.types().isEmpty())
				.filter((source) -> source.types()
					.stream()
					.noneMatch((type) -> types.contains(source.block().page() + " " + type)))
				.forEach(sources::add);
		}
		return sources;
	}

	private static List<String> compile(List<JavaSource> sources, StandardJavaFileManager files) throws IOException {
		DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
		List<SourceFile> units = sources.stream().map(SourceFile::new).toList();
		JavacTask task = (JavacTask) COMPILER.getTask(null, files, diagnostics, OPTIONS, null, units);
		task.analyze();
		if (texts(diagnostics).isEmpty()) {
			task.generate();
		}
		return texts(diagnostics);
	}

	private static List<String> texts(DiagnosticCollector<JavaFileObject> diagnostics) {
		return diagnostics.getDiagnostics()
			.stream()
			.filter((diagnostic) -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
			.map(JavaBlocks::text)
			.toList();
	}

	private static String text(Diagnostic<? extends JavaFileObject> diagnostic) {
		if (diagnostic.getSource() instanceof SourceFile file) {
			CodeBlock block = file.source.block();
			List<String> lines = block.text().lines().toList();
			int index = (int) Math.max(0, Math.min(diagnostic.getLineNumber() - 2, lines.size() - 1));
			return block.page() + ":" + (block.line() + index) + ": " + diagnostic.getMessage(Locale.ROOT) + "\n    "
					+ lines.get(index);
		}
		return diagnostic.getMessage(Locale.ROOT);
	}

	/**
	 * A block, parsed as one kind of source.
	 */
	private record Attempt(JavaSource source, List<String> errors, long errorAt) {

		static Attempt parse(JavaSource source, StandardJavaFileManager files) {
			DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
			JavacTask task = (JavacTask) COMPILER.getTask(null, files, diagnostics, TO_PARSE, null,
					List.of(new SourceFile(source)));
			try {
				boolean typed = true;
				for (CompilationUnitTree unit : task.parse()) {
					typed = !unit.getTypeDecls().isEmpty();
				}
				List<String> errors = texts(diagnostics);
				// A block is of the kind that can be parsed furthest.
				long position = diagnostics.getDiagnostics()
					.stream()
					.mapToLong(Diagnostic::getPosition)
					.min()
					.orElse(typed ? Long.MAX_VALUE : -1);
				return new Attempt(source, errors, position - source.text().indexOf('\n'));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

	private static final class SourceFile extends SimpleJavaFileObject {

		private final JavaSource source;

		private SourceFile(JavaSource source) {
			super(URI.create("string:///" + source.path()), Kind.SOURCE);
			this.source = source;
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) {
			return this.source.text();
		}

	}

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

		private static final Pattern EXAMPLE = Pattern
			.compile("(?m)^((?:package|import|import static) )com\\.example\\.");

		private static final Pattern ELISION = Pattern.compile("\\{ … }");

		/** What precedes the body of a type or of a statement. */
		private static final Pattern NO_METHOD = Pattern.compile(
				"^\\s*(?:}|try|if|else|for|while|do|catch|finally|switch)\\b|^\\s*}|->\\s*$|\\b(?:class|interface|enum|record)\\b");

		/**
		 * The imports of examples that have none of their own. In one line, so that the
		 * lines of an example keep their numbers.
		 */
		private static final String IMPORTS = """
				io.github.distlock.*
				io.github.distlock.contract.*
				io.github.distlock.docs.Example.*
				io.github.distlock.observation.*
				io.github.distlock.test.*
				java.lang.annotation.*
				java.math.BigDecimal
				java.security.Principal
				java.time.*
				java.util.*
				java.util.concurrent.*
				java.util.concurrent.atomic.AtomicBoolean
				java.util.concurrent.locks.Lock
				java.util.function.*
				java.util.stream.*
				jakarta.persistence.*
				org.apache.curator.framework.*
				net.javacrumbs.shedlock.spring.annotation.*
				org.springframework.aop.MethodBeforeAdvice
				org.springframework.aop.framework.ProxyFactory
				org.springframework.aot.hint.MemberCategory
				org.springframework.aot.hint.annotation.RegisterReflection
				org.springframework.beans.factory.annotation.*
				org.springframework.boot.context.event.ApplicationReadyEvent
				org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest
				org.springframework.cache.annotation.Cacheable
				org.springframework.context.annotation.*
				org.springframework.context.event.ContextClosedEvent
				org.springframework.context.event.EventListener
				org.springframework.dao.OptimisticLockingFailureException
				org.springframework.http.*
				org.springframework.resilience.annotation.Retryable
				org.springframework.scheduling.annotation.*
				org.springframework.security.config.Customizer
				org.springframework.security.config.annotation.web.builders.HttpSecurity
				org.springframework.security.web.SecurityFilterChain
				org.springframework.stereotype.*
				org.springframework.transaction.annotation.*
				org.springframework.web.bind.annotation.*
				reactor.core.publisher.Mono
				reactor.core.scheduler.Schedulers
				static org.assertj.core.api.Assertions.*
				static org.mockito.BDDMockito.*
				""".lines().map((name) -> " import " + name + ";").reduce("", String::concat);

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

		String text() {
			String code = this.block.text().lines().map(JavaSource::complete).collect(Collectors.joining("\n"));
			String start = PACKAGE.matcher(code).find() ? "" : "package " + this.packageName + ";";
			code = EXAMPLE.matcher(code).replaceAll("$1" + prefix(this.block) + "com.example.");
			return switch (this.kind) {
				case UNIT -> start + (IMPORT.matcher(code).find() || start.isEmpty() ? "" : IMPORTS) + "\n" + code;
				case MEMBERS -> start + IMPORTS + opening() + "\n" + code + "\n}\n";
				case STATEMENTS ->
					start + IMPORTS + opening() + " void example() throws Throwable {\n" + code + "\n}\n}\n";
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
			return " class Line" + this.block.line() + " extends io.github.distlock.docs.Example {";
		}

		enum Kind {

			UNIT, MEMBERS, STATEMENTS

		}

	}

}
