package io.github.distlock.docs;

import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.distlock.LockRegistry;
import io.github.distlock.autoconfigure.Contexts;
import io.github.distlock.testing.RedisTestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.util.ClassUtils;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Each sentence that says what the start or a refused call does has a row in
 * {@code promises.txt}, whose trigger brings the message.
 */
@ExtendWith(OutputCaptureExtension.class)
class PromiseTests {

	private static final String TABLE = "distlock-autoconfigure/src/test/resources/promises.txt";

	/** The library looks for it by its name, and there is no Kotlin on the class path. */
	private static final CodeBlock KOTLIN = new CodeBlock("kotlin", 1, "java", true,
			"package kotlin.coroutines;\npublic interface Continuation<T> { }\n");

	@AutoClose
	private static final RedisTestServer redis = RedisTestServer.start();

	private static Path classes;

	@BeforeAll
	static void compile(@TempDir Path folder) {
		Stream<CodeBlock> code = rows().filter((row) -> !row.has("test")).map(Row::code);
		assertThat(JavaBlocks.errors(Stream.concat(Stream.of(KOTLIN), code).toList(), folder)).isEmpty();
		classes = folder.resolve("0");
	}

	@Test
	void eachSentenceOfThisKindHasARow() {
		List<String> promised = table().flatMap((row) -> Stream.of(row.sentences)).toList();
		assertThat(sentences().filter((sentence) -> promised.stream().noneMatch(sentence::contains)))
			.as("Sentences without a row in %s: add their words to the row that proves them, or write one", TABLE)
			.isEmpty();
	}

	@Test
	void eachRowHasItsSentences() {
		List<String> found = sentences().toList();
		assertThat(table().flatMap((row) -> Stream.of(row.sentences))
			.filter((words) -> found.stream().noneMatch((sentence) -> sentence.contains(words))))
			.as("Words in %s that no page says any longer: delete them, and a row that has no others", TABLE)
			.isEmpty();
		assertThat(rows()).hasSizeLessThanOrEqualTo(80);
	}

	@ParameterizedTest
	@MethodSource("rows")
	void theTriggerBringsTheMessage(Row row, CapturedOutput output) throws Exception {
		if (row.has("test")) {
			String[] test = row.parts("test");
			assertThat(Pages.text(test[0])).as("%s", row).contains(Arrays.copyOfRange(test, 1, test.length));
			return;
		}
		Stream.of(row.parts("redis")).forEach((command) -> redis.process().ask(command.split(" ")));
		AutoConfigurations stores = String.join(" ", row.parts("with")).contains("spring.datasource")
				? AutoConfigurations.of(DataSourceAutoConfiguration.class,
						DataSourceTransactionManagerAutoConfiguration.class)
				: AutoConfigurations.of(DataRedisAutoConfiguration.class);
		try (URLClassLoader loader = new URLClassLoader(new URL[] { classes.toUri().toURL() },
				new FilteredClassLoader(row.parts("without")))) {
			Contexts.withoutRedis()
				.withConfiguration(stores)
				.withClassLoader(loader)
				.withPropertyValues("distlock.backend=local", "spring.data.redis.port=" + redis.port(),
						"distlock.shutdown-grace-period=0s")
				.withPropertyValues(row.parts("with"))
				.withInitializer((context) -> register(row.type(loader), (GenericApplicationContext) context))
				.run((context) -> check(row, context, output));
		}
	}

	static Stream<Row> rows() {
		return table().filter((row) -> !row.has("none"));
	}

	private static Stream<Row> table() {
		List<Row> rows = new ArrayList<>();
		List<String> lines = Pages.text(TABLE).lines().toList();
		for (int index = 0; index < lines.size(); index++) {
			String line = lines.get(index);
			if (!line.startsWith("\t") && !line.startsWith("#")) {
				rows.add(new Row(index + 1, line.split(" … "), new TreeMap<>()));
			}
			else if (!rows.isEmpty()) {
				String[] value = line.strip().split(": ", 2);
				rows.get(rows.size() - 1).values.put(value[0], value[1].split(" … "));
			}
		}
		return rows.stream();
	}

	/** Make beans of a class and the classes inside it. */
	private static void register(Class<?> type, GenericApplicationContext context) {
		if (!Modifier.isAbstract(type.getModifiers())) {
			context.registerBean(type);
		}
		Stream.of(type.getDeclaredClasses()).forEach((nested) -> register(nested, context));
	}

	private static void check(Row row, AssertableApplicationContext context, CapturedOutput output) {
		Throwable failure = row.has("fails") ? context.getStartupFailure() : thrownByCall(row, context);
		String[] words = row.parts(row.has("fails") ? "fails" : "throws");
		String[] warnings = row.parts("warns");
		assertThat(words.length + warnings.length).as("%s", row).isPositive();
		assertThat(words).as("%s", row).allSatisfy((word) -> assertThat(failure).hasStackTraceContaining(word));
		assertThat(warnings).as("%s", row).allSatisfy((word) -> assertThat(flushed(output)).containsOnlyOnce(word));
	}

	private static @Nullable Throwable thrownByCall(Row row, AssertableApplicationContext context) {
		assertThat(context).as("%s", row).hasNotFailed();
		Class<?> type = row.type(context.getClassLoader());
		return catchThrowable(() -> ReflectionTestUtils.invokeMethod(type, "call", context.getBean(type),
				context.getBean(LockRegistry.class), context.getSourceApplicationContext()));
	}

	/**
	 * The number of its first line, words of sentences, other lines by their keywords.
	 */
	record Row(int line, String[] sentences, Map<String, String[]> values) {

		boolean has(String keyword) {
			return this.values.containsKey(keyword);
		}

		String[] parts(String keyword) {
			return this.values.getOrDefault(keyword, new String[0]);
		}

		/** A class with the members and the call. */
		CodeBlock code() {
			String text = String.join("", parts("code")) + " static void call(Line" + this.line
					+ " bean, LockRegistry registry, org.springframework.context.ConfigurableApplicationContext context)"
					+ " throws Throwable { " + String.join("", parts("call")) + " }\n";
			return new CodeBlock("promises", this.line, "java", true, text);
		}

		Class<?> type(@Nullable ClassLoader loader) {
			return ClassUtils.resolveClassName(JavaBlocks.JavaSource.packageName(List.of(code())) + ".Line" + this.line,
					Objects.requireNonNull(loader));
		}

		@Override
		public String toString() {
			return this.line + " " + this.sentences[0];
		}

	}

	private static final String SUBJECT = "\\b(?:start-?up|(?:the|at|each) start|calls?|at call time, the method)\\b";

	private static final String VERB = "\\b(?:refuse[sd]?|reject(?:s|ed)?|fails?|throws?|thrown|warns?|warnings?)\\b";

	/** The words by which such a sentence is known. */
	private static final Pattern PROMISE = Pattern.compile(
			SUBJECT + "[^;:.|]*?" + VERB + "|" + VERB + "[^;:.|]*?\\b(?:start-?up|(?:the|at|each) start)\\b|" + VERB
					+ " (?:at|by|with)\\b[^;:.|]*?" + SUBJECT
					+ "|\\b(?:is|are|be|was) (?:refused|rejected)\\b|(?:does|do|can) ?not start\\b",
			Pattern.CASE_INSENSITIVE);

	private static final Pattern PARAGRAPH = Pattern.compile("\n\\s*\n|\n(?=\\s*(?:[-*|@#]|\\d+\\. ))|<(?:br|p|li)>");

	private static final Pattern END = Pattern.compile("(?<=[.!?;:])[*)]*\\s+(?=[A-Z`*\\[(\"@])");

	private static final Pattern PAGE = Pattern.compile("(?:docs/(?!maintainers/).*|README\\.md|llms\\.txt)");

	private static final Pattern TYPE = Pattern.compile("(?m)^io[.a-z]+\\.[A-Z]\\w*");

	private static final Pattern COMMENT = Pattern.compile("(?s)/\\*\\*(.*?)\\*/");

	private static final List<String> MODULES = List.of("distlock-autoconfigure", "distlock-spring-boot-starter-test");

	/** Return the sentences, each after the name of its page or type and a colon. */
	private static Stream<String> sentences() {
		Stream<String> pages = Stream.concat(Pages.all().stream(), Stream.of("llms.txt"))
			.filter((page) -> PAGE.matcher(page).matches() && !page.contains("zh-CN"))
			.flatMap((page) -> sentences(page, Pages.text(page).replaceAll("(?ms)^\\s*```.*?^\\s*```\\s*$", "\n\n")));
		Stream<String> types = TYPE.matcher(Pages.text("project/config/api/signatures.txt"))
			.results()
			.map((type) -> type.group().replace('.', '/') + ".java")
			.distinct()
			.flatMap((type) -> MODULES.stream().map((module) -> module + "/src/main/java/" + type))
			.filter((file) -> Files.exists(Pages.ROOT.resolve(file)))
			.flatMap((file) -> COMMENT.matcher(Pages.text(file))
				.results()
				.flatMap((comment) -> sentences(file, comment.group(1).replaceAll("\n\\s*\\* ?", "\n"))));
		return Stream.concat(pages, types);
	}

	private static Stream<String> sentences(String source, String text) {
		return PARAGRAPH.splitAsStream(text)
			.map(PromiseTests::plain)
			.flatMap(END::splitAsStream)
			.filter((sentence) -> PROMISE.matcher(sentence).find())
			.map((sentence) -> source + ": " + sentence);
	}

	/** Without marks, in one line. */
	private static String plain(String paragraph) {
		return paragraph.strip()
			.replaceAll("\\s+", " ")
			.replaceAll("\\[([^\\]]*)]\\([^)]*\\)", "$1")
			.replaceAll("\\{@\\w+ ([^{}]*)}", "$1")
			.replaceAll("[`*]|</?\\w+>", "");
	}

}
