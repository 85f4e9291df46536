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

	/**
	 * The imports of examples that have none of their own. In one line, so that the lines
	 * of an example keep their numbers.
	 */
	private static final String IMPORTS = """
			io.github.distlock.*
			io.github.distlock.contract.*
			io.github.distlock.docs.examples.ExampleTypes.*
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
			case UNIT -> start + (IMPORT.matcher(code).find() || start.isEmpty() ? "" : IMPORTS) + "\n" + code;
			case MEMBERS -> start + IMPORTS + opening() + "\n" + code + "\n}\n";
			case STATEMENTS -> start + IMPORTS + opening() + " void example() throws Throwable {\n" + code + "\n}\n}\n";
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
