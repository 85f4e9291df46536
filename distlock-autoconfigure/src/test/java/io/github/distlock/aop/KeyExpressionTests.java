package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.SpringVersion;
import org.springframework.expression.spel.SpelEvaluationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests the evaluation of key expressions.
 */
class KeyExpressionTests {

	private final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();

	private final Method method = Arrays.stream(Subject.class.getDeclaredMethods())
		.filter((candidate) -> candidate.getName().equals("call"))
		.findFirst()
		.orElseThrow();

	private final LockedMethod where = new LockedMethod(Subject.class, this.method);

	KeyExpressionTests() {
		this.beanFactory.registerSingleton("tenants", new Tenants());
	}

	private KeyExpression expression(String text) {
		return key(text, this.where);
	}

	private KeyExpression key(String text, LockedMethod called) {
		return new KeyExpression(new MethodExpression(called, "key", text, null, this.beanFactory));
	}

	private String key(String text, @Nullable Object first, @Nullable Object second) {
		return expression(text).keys(new Subject(), new Object[] { first, second }).get(0);
	}

	private void assertRefused(String text, @Nullable Object first, String... problems) {
		KeyExpression expression = expression(text);
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> expression.keys(new Subject(), new Object[] { first, "second" }))
			.withMessageStartingWith(
					"@DistributedLock(key = \"" + text + "\") on " + Subject.class.getName() + ".call(Object, Object) ")
			.satisfies((ex) -> assertThat(ex.getMessage()).contains(problems));
	}

	@Test
	void anUnknownSpringFrameworkIsNamed() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> KeyConverter.children(Object.class))
			.withMessageContaining("with Spring Framework " + SpringVersion.getVersion() + ", whose Object differs");
	}

	@ParameterizedTest
	@MethodSource
	void anExpressionIsEvaluatedAsItIsWritten(String text, @Nullable Object first, String key) {
		assertThat(key(text, first, "2")).isEqualTo(key);
	}

	/** An argument is never an expression, and a word of SpEL is no bare word. */
	static Object[][] anExpressionIsEvaluatedAsItIsWritten() {
		String evil = "#{T(java.lang.Runtime).getRuntime()} ${user.home} @tenants.fail()";
		return new Object[][] { { "#id + #a0 + #p0 + #root.args[1] + #args", "1", "11122" },
				{ "#id != null ? 'a' + #id : 'none'", null, "none" }, { "'k' + #id", evil, "k" + evil },
				{ "@tenants.current() + ':' + #id.code() + ':' + #root.methodName + ':' + method.name", new Sku("s"),
						"blue:s:call:call" },
				{ "#id + 1 + 'x'", 1, "2x" }, { "#id.?[length() > 1][0]", List.of("a", "bb"), "bb" },
				{ "{a: 'b'}['a']", null, "b" } };
	}

	@ParameterizedTest
	@MethodSource("values")
	void valuesWithTheirOwnToStringAreKeys(Object value, String key) {
		assertThat(key("#id", value, null)).isEqualTo(key);
		assertThat(key("'k:' + #id + '.'", value, null)).isEqualTo("k:" + key + ".");
	}

	static Object[][] values() {
		UUID uuid = UUID.randomUUID();
		return new Object[][] { { "text", "text" }, { 7, "7" }, { 7L, "7" }, { 'c', "c" }, { true, "true" },
				{ uuid, uuid.toString() }, { LocalDate.of(2026, 1, 2), "2026-01-02" }, { TimeUnit.DAYS, "DAYS" },
				{ new StringBuilder("b"), "b" }, { new Date(0), "1970-01-01T00:00:00Z" }, { new Sku("s"), "s" },
				{ Talking.LOUD, "LOUD" } };
	}

	@ParameterizedTest
	@ValueSource(strings = { "'order:' + #id", "#id + ':order'", "'a' + ('b' + #id)", "true ? 'a' + #id : 'b'",
			"null ?: 'a' + #id", "@tenants.echo('a' + #id)", "('a' + #id).toUpperCase()",
			"T(java.util.Objects).hash('a' + #id).toString()", "('a' + #id)?.trim() + 'b'",
			"{'from-' + #id, 'to-' + #args}", "{'x'}.!['p-' + #id]", "{'x'}.?['x' + #id == 'xnull']",
			"{k: 'a' + #id}['k']", "{anull: 'shared'}['a' + #id]", "new String('n-' + #id)",
			"new String[] { 'a' + #id }", "'a' + #id == 'anull' ? 'x' : 'y'", "{{'x'}.!['p-' + #id][0]}" })
	void nullInAConcatenationBelowAnyOtherNodeIsRefused(String text) {
		assertRefused(text, null, "its part #id is null", "Pass a value");
	}

	@Test
	void aNullElementThatAProjectionMakesAPartIsRefused() {
		assertRefused("#id.!['p-' + #this]", Arrays.asList("a", null), "its part #this is null");
		assertThat(expression("{'from-' + #id, 'to-' + #args}").keys(null, new Object[] { 1, 2 }))
			.containsExactly("from-1", "to-2");
	}

	@ParameterizedTest(name = "{0} with {1}: {2}")
	@MethodSource
	void aValueWithoutATextOfItsOwnOrNoSingleTextIsRefused(String text, @Nullable Object first, String problem,
			String remedy) {
		assertRefused(text, first, problem, remedy);
	}

	static Stream<Arguments> aValueWithoutATextOfItsOwnOrNoSingleTextIsRefused() {
		String identity = "is an instance of " + Plain.class.getTypeName() + ", whose toString() differs";
		String several = "write an expression that gives one text";
		List<Arguments> rows = new ArrayList<>(List.of(arguments("'order:' + #id", new Plain(), identity, "#order.id"),
				arguments("#id + ':order'", new Plain(), identity, "#order.id"),
				arguments("@tenants.echo('a' + #id)", new Plain(), identity, "#order.id"),
				arguments("#id", null, "it is null", "Pass a value"),
				arguments("#id", new CompletableFuture<>(), "whose toString() differs from instance to instance", ""),
				arguments("#id", "  ", "blank key", "'order-' + #id"),
				arguments("#id.toString()", new StringBuilder(), "blank key", ""),
				arguments("@tenants.echo(#id)", List.of("a", "b"), several, ""),
				arguments("#id", Optional.of(1), several, ""),
				arguments("#id", List.of(), "evaluated to no key,", "condition = \"!#ids.isEmpty()\""),
				arguments("#id", new String[0], "evaluated to no key,", ""),
				arguments("#id", Arrays.asList("a", null), "is null", ""),
				arguments("#id", List.of("a", " "), "blank key", ""),
				arguments("#id", List.of("a", new Plain()), "it is an instance of " + Plain.class.getTypeName(), ""),
				arguments("#id", IntStream.range(0, 1001).boxed().toList(), "1001 keys", "1000 at most")));
		for (Object value : List.of(new int[] { 1 }, new String[] { "a" }, List.of("a"), Map.of("a", 1))) {
			rows.add(arguments("'k' + #id", value, several, ""));
		}
		for (Object value : List.of(Map.of("a", 1), new byte[] { 1 }, new char[] { 'a' }, List.of(List.of("a")),
				new Object[] { new int[0] })) {
			rows.add(arguments("#id", value, several, ""));
		}
		return rows.stream();
	}

	@Test
	void aCollectionOrAnArrayIsSortedKeysWithoutDuplicates() {
		for (Object several : List.of(List.of(3, 1, 3, 2), new int[] { 3, 2, 1 }, new Long[] { 2L, 1L, 3L },
				Set.of("1", "2", "3"))) {
			assertThat(expression("#id").keys(null, new Object[] { several, null })).containsExactly("1", "2", "3");
		}
		assertThat(expression("#id.!['order-' + #this]").keys(null, new Object[] { List.of("b", "a"), null }))
			.containsExactly("order-a", "order-b");
		assertThat(expression("{#id, #a1}").keys(null, new Object[] { "y", "x" })).containsExactly("x", "y");
	}

	@Test
	void aFailingExpressionIsRefusedWithItsCause() {
		KeyExpression expression = expression("#id.name");
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> expression.keys(null, new Object[] { null, null }))
			.withMessageContaining("cannot be evaluated")
			.withCauseInstanceOf(SpelEvaluationException.class);
	}

	@Test
	void theExceptionOfABeanIsNotChanged() {
		assertThatIllegalStateException().isThrownBy(() -> key("@tenants.fail()", null, null)).withMessage("no tenant");
	}

	@Test
	void aSumOfParametersThatAreNumbersIsRefusedAtStartUp() throws Exception {
		LockedMethod sum = new LockedMethod(Subject.class,
				Subject.class.getDeclaredMethod("sum", long.class, Integer.class));
		for (String text : List.of("#a0 + #a1", "'k' + (#a0 + #p1)", "true ? #a0 + #a1 : 'none'", "{#a0 + #a1}")) {
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> key(text, sum))
				.withMessageContaining("adds two numbers, (#a0 + #")
				.withMessageContaining("write a text between them, as in #a + '-' + #b");
		}
		assertThat(key("#a0 + '-' + #a1 + '-' + (#a0 + 1) + '-' + (#a0 * 100 + #a1)", sum).keys("x",
				new Object[] { 1L, 2 }))
			.containsExactly("1-2-2-102");
		assertThat(key("#a0 + #a1 > 5 ? 'many' : 'few' + {1, 2}[#a0 + #a1 - 3]", sum).keys("x", new Object[] { 1L, 2 }))
			.containsExactly("few1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#id + #a0", "#id + #id + 'x'", "'k' + (#id + #id)", "#id != null ? #id + #id : 'none'",
			"null ?: #id + #id", "{#id + #id, 'x'}", "{1, 2}.![#this + #this]", "(#id + #id).toString()" })
	void aSumOfNumbersIsRefusedByTheCall(String text) {
		assertRefused(text, 12, "adds two numbers, (#", "write a text between them, as in #a + '-' + #b");
		String concatenated = text.contains("#this") ? text.replace("{1, 2}", "{'1', '2'}") : text;
		assertThat(key(concatenated, "1", null)).contains("11");
	}

	@ParameterizedTest
	@ValueSource(strings = { "'order #7'", "'C#'", "'#idea'", "'{id}'", "'#' + 'id'", "'#missing'" })
	void aTextThatNamesNoParameterIsNoTemplate(String text) {
		assertThat(key(text, "x", "y")).isNotBlank();
	}

	@Test
	void aClassWithoutParameterNamesIsNamedAsSuch() throws Exception {
		// The classes of the JDK have none.
		LockedMethod concat = new LockedMethod(String.class, String.class.getMethod("concat", String.class));
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> key("#str", concat))
			.withMessageContaining("compile it with -parameters, or write one of #a0, #p0");
		assertThat(key("#a0", concat).keys("x", new Object[] { "y" })).containsExactly("y");
	}

	@ParameterizedTest(name = "{0}: {1}")
	@CsvSource(delimiter = '|', quoteCharacter = '~',
			textBlock = """
					'order-#id'           | in which nothing is replaced | write arguments outside of the quotes, as in 'order-' + #id
					'name-#{id}'          | in which nothing is replaced | write arguments outside of the quotes, as in 'order-' + #id
					'name-#{' + #id + '}' | in which nothing is replaced | write arguments outside of the quotes, as in 'order-' + #id
					~#id + '/#a1'~ | in which nothing is replaced | write arguments outside of the quotes, as in 'order-' + #id
					'#root.methodName'    | in which nothing is replaced | write arguments outside of the quotes, as in 'order-' + #id
					~#id == '#args' ? 'x' : 'y'~ | in which nothing is replaced | write arguments outside of the quotes, as in 'order-' + #id
					~'order-' + ~         | is not a SpEL expression | 'order-' + #id
					~#{#id}~ | without #{...} | #{#id}
					'a' + #idd            | uses #idd, which does not exist | write one of #id, #args, #a0, #p0, #a1, #p1
					@tenants.echo(#p2)    | uses #p2 | #p2
					~#list.?[name == #x]~ | uses #list | #list
					order                 | has the bare word order | write the text in single quotes
					stock:lock/7          | 'order-' + #id | 'order-' + #id
					'a' + id              | has the bare word id | write #id for the argument
					'a'.concat(id)        | has the bare word id | id
					""")
	void aTextThatCannotBeWhatItsAuthorMeansIsRefused(String text, String problem, String remedy) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> expression(text))
			.withMessageStartingWith(
					"@DistributedLock(key = \"" + text + "\") on " + Subject.class.getName() + ".call(Object, Object) ")
			.withMessageContainingAll(problem, remedy);
	}

	@Test
	void anObjectThatContainsOneWithoutItsOwnToStringIsRefused() {
		assertRefused("#id", new Whole(new Plain()), "whose toString() differs from instance to instance",
				"Whole[part=");
		assertRefused("'k' + #id", new Whole(new Plain()), "whose toString() differs from instance to instance");
		Object unnamed = new DefaultPackage();
		assertRefused("#id", unnamed, "whose toString() differs from instance to instance");
		assertThat(key("#id", new Whole("anna@abc.de"), null)).isEqualTo("Whole[part=anna@abc.de]");
		assertThat(key("#id", "any.Text@1234", null)).isEqualTo("any.Text@1234");
	}

	@ParameterizedTest
	@ValueSource(strings = { "order-17@3", "A1@12", "Login[user=app@db]", "7@abc", "x[@1", "mail;a@b", "$@1f" })
	void aTextWithAnAtSignIsNotTakenForAnIdentity(String text) {
		assertThat(key("#id", new Text(text), null)).isEqualTo(text);
		assertThat(key("'k' + #id", new Text(text), null)).isEqualTo("k" + text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Line[a=com.example.Line@1b2c3d]", "a.Outer$Inner@0", "a.B$$Lambda/0x00007f00a1@ffffffff",
			"[I@1f", "x=[[Lcom.example.Line;@1f]", "{k=java.lang.Object@1f, b=1}" })
	void aTextWithTheIdentityOfAnObjectIsRefused(String text) {
		assertRefused("#id", new Text(text), "whose toString() differs from instance to instance");
	}

	@Test
	void equalAmountsAreOneKey() {
		assertThat(List.of("1", "1.0", "1.00", "10E-1")).allSatisfy((number) -> {
			assertThat(key("#id", new BigDecimal(number), null)).isEqualTo("1");
			assertThat(key("'k' + #id", new BigDecimal(number), null)).isEqualTo("k1");
		});
		assertThat(key("#id", new BigDecimal("1E+2"), null)).isEqualTo("100");
		assertThat(key("#id", new BigDecimal("0.00"), null)).isEqualTo("0");
		assertThat(key("#id", new BigDecimal("1.50"), null)).isEqualTo("1.5");
		assertThat(key("#id", new BigDecimal("1E+2147483647"), null)).isEqualTo("1E+2147483647");
	}

	static class Subject {

		void call(Object id, Object args) {
		}

		void sum(long shop, Integer order) {
		}

	}

	static class Plain {

	}

	record Whole(Object part) {
	}

	record Text(String text) {

		@Override
		public String toString() {
			return this.text;
		}

	}

	/** Has the text of an instance of a class without a package. */
	static class DefaultPackage {

		@Override
		public String toString() {
			return "DefaultPackage@" + Integer.toHexString(System.identityHashCode(this));
		}

	}

	record Sku(String code) {

		@Override
		public String toString() {
			return this.code;
		}

	}

	enum Talking {

		LOUD;

		@Override
		public String toString() {
			return "talks";
		}

	}

	static class Tenants {

		public String current() {
			return "blue";
		}

		public String echo(String text) {
			return text;
		}

		public String fail() {
			throw new IllegalStateException("no tenant");
		}

	}

}
