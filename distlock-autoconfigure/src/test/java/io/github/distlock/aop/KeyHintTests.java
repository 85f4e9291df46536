package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * Tests keys that look valid and are not.
 */
class KeyHintTests {

	private final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();

	KeyHintTests() {
		this.beanFactory.registerSingleton("tenants", new Tenants());
	}

	private KeySource.KeyExpression expression(String text) {
		Method method = Arrays.stream(Subject.class.getDeclaredMethods()).findFirst().orElseThrow();
		LockedMethod where = new LockedMethod(Subject.class, method);
		return new KeySource.KeyExpression(new MethodExpression.Source(where, "key", text),
				new ExpressionParameters(null, method), this.beanFactory);
	}

	private String key(String text, @Nullable Object id) {
		return expression(text).keys(new Subject(), new Object[] { id, new Order("1", new Line(7)), new Open(), "r" })
			.get(0);
	}

	private void assertRefused(String text, @Nullable Object id, String... problems) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> key(text, id))
			.withMessageStartingWith(
					"@DistributedLock(key = \"" + text + "\") on " + Subject.class.getName() + ".call(")
			.satisfies((ex) -> assertThat(ex.getMessage()).contains(problems));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			stock-lock     | 'stock-lock' in quotes
			stock:lock/7   | 'stock:lock/7'
			stock-{#id}    | 'stock-' + #id
			stock-#{#id}.x | 'stock-' + #id + '.x'
			""", quoteCharacter = '"')
	void aPlainTextIsRewrittenAsAnExpression(String text, String remedy) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> expression(text))
			.withMessageContaining(remedy);
	}

	@ParameterizedTest
	@ValueSource(strings = { "#order.idd", "#a1?.idd + 'x'", "'k' + #order.line.nr", "#order.id.lenght" })
	void aPropertyThatAFinalTypeDoesNotHaveIsRefusedAtStartUp(String text) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> expression(text))
			.withMessageContaining("uses the property ")
			.withMessageContaining("does not have");
	}

	@Test
	void existingPropertiesAndThoseOfNonFinalTypesAreNotRefused() {
		assertThat(key("#order.id + #order.line.number + #a1.line().number() + #order.id.bytes.length", "x"))
			.isEqualTo("1771");
		expression("#open.nowhere");
		expression("#id.nowhere");
	}

	@Test
	void aPropertyOfTheValueInAnOptionalIsNotRefused() {
		Method method = Arrays.stream(Optionals.class.getDeclaredMethods()).findFirst().orElseThrow();
		KeySource.KeyExpression expression = new KeySource.KeyExpression(
				new MethodExpression.Source(new LockedMethod(Optionals.class, method), "key",
						"'c-' + #order?.id + #order?.line?.number + #type.name"),
				new ExpressionParameters(null, method), this.beanFactory);
		assertThat(expression.keys(new Optionals(),
				new Object[] { Optional.of(new Order("1", new Line(7))), Order.class }))
			.containsExactly("c-17" + Order.class.getName());
	}

	@Test
	void aParameterThatIsCalledRootIsRefused() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> expression("#root"))
			.withMessageContaining("hides the parameter of that name: write #a3");
		assertThat(key("#a3", "x")).isEqualTo("r");
	}

	@Test
	void anObjectThatContainsOneWithoutItsOwnToStringIsRefused() {
		for (Object whole : List.of(new Whole(new Open()), new Whole(new int[0]), new Whole(new String[0]),
				new Whole(List.of(new Object())), new Whole((Runnable) () -> {
				}))) {
			assertRefused("#id", whole, "whose toString() differs from instance to instance", "Whole[part=");
			assertRefused("'k' + #id", whole, "whose toString() differs from instance to instance");
		}
		Object unnamed = new DefaultPackage();
		assertRefused("#id", unnamed, "whose toString() differs from instance to instance");
		assertThat(key("#id", new Whole("anna@abc.de"))).isEqualTo("Whole[part=anna@abc.de]");
		assertThat(key("#id", "any.Text@1234")).isEqualTo("any.Text@1234");
	}

	@ParameterizedTest
	@ValueSource(strings = { "order-17@3", "A1@12", "Login[user=app@db]", "7@abc", "x[@1", "mail;a@b", "$@1f" })
	void aTextWithAnAtSignIsNotTakenForAnIdentity(String text) {
		assertThat(key("#id", new Text(text))).isEqualTo(text);
		assertThat(key("'k' + #id", new Text(text))).isEqualTo("k" + text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Line[a=com.example.Line@1b2c3d]", "a.Outer$Inner@0", "a.B$$Lambda/0x00007f00a1@ffffffff",
			"[I@1f", "x=[[Lcom.example.Line;@1f]", "{k=java.lang.Object@1f, b=1}" })
	void aTextWithTheIdentityOfAnObjectIsRefused(String text) {
		assertRefused("#id", new Text(text), "whose toString() differs from instance to instance");
	}

	@ParameterizedTest
	@ValueSource(strings = { "T(String).format('%s:%s', 'a', #id)", "T(java.lang.String).format('%s', #id)",
			"T(String).join('-', 'a', #id)", "T(String).join('-', {'a', #id})", "T(String).valueOf(#id)",
			"'x'.concat(#id)", "'%s'.formatted(#id)", "('x' + 'y').concat(#id).trim()" })
	void nullInAMethodThatConvertsToTextIsRefused(String text) {
		assertRefused(text, null, "is null");
	}

	@Test
	void methodsThatConvertToTextAcceptValues() {
		assertThat(key("T(String).format('%s:%05d', #id, 7) + T(String).join('-', {#id, 'b'}) + 'x'.concat(#id)", "a"))
			.isEqualTo("a:00007a-bxa");
		assertThat(key("@tenants.concat(#id)", null)).isEqualTo("no tenant");
	}

	@Test
	void aMethodOfTheJdkThatFailsOnNullNamesTheAnnotation() {
		assertRefused("'x'.compareTo(#id).toString()", null, "cannot be evaluated", "with null");
		assertThatNullPointerException().isThrownBy(() -> key("@tenants.fail(#id)", null));
	}

	@Test
	void equalAmountsAreOneKey() {
		assertThat(List.of("1", "1.0", "1.00", "10E-1")).allSatisfy((number) -> {
			assertThat(key("#id", new BigDecimal(number))).isEqualTo("1");
			assertThat(key("'k' + #id", new BigDecimal(number))).isEqualTo("k1");
		});
		assertThat(key("#id", new BigDecimal("1E+2"))).isEqualTo("100");
		assertThat(key("#id", new BigDecimal("0.00"))).isEqualTo("0");
		assertThat(key("#id", new BigDecimal("1.50"))).isEqualTo("1.5");
		assertThat(key("#id", new BigDecimal("1E+2147483647"))).isEqualTo("1E+2147483647");
	}

	static class Subject {

		void call(Object id, Order order, Open open, String root) {
		}

	}

	record Order(String id, Line line) {
	}

	record Line(int number) {
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

	static class Optionals {

		void call(Optional<Order> order, Class<?> type) {
		}

	}

	static class Open {

	}

	static class Tenants {

		public String concat(@Nullable String text) {
			return (text != null) ? text : "no tenant";
		}

		@SuppressWarnings("NullAway")
		public String fail(@Nullable String text) {
			return "x".concat(text);
		}

	}

}
