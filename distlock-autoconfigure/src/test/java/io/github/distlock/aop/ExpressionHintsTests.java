package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.Month;
import java.util.Collection;
import java.util.List;

import io.github.distlock.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests which members a native image keeps for an expression.
 */
class ExpressionHintsTests {

	private final RuntimeHints hints = new RuntimeHints();

	ExpressionHintsTests() {
		DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
		beanFactory.registerSingleton("owners", new Owners());
		ExpressionHints registrar = new ExpressionHints(this.hints.reflection(), beanFactory);
		for (Method method : Work.class.getDeclaredMethods()) {
			LockAnnotationFinder.find(method, Work.class).forEach(registrar::register);
		}
	}

	private void assertKept(Class<?> type, String method, Class<?>... parameters) throws NoSuchMethodException {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(type.getMethod(method, parameters)))
			.accepts(this.hints);
	}

	private void assertNotKept(Class<?> type, String method) throws NoSuchMethodException {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(type.getMethod(method))).rejects(this.hints);
	}

	@Test
	void ofTypesOfTheJdkTheNamedMembersAreKept() throws NoSuchMethodException {
		assertKept(String.class, "toUpperCase");
		assertNotKept(String.class, "toLowerCase");
		assertKept(LocalDate.class, "getMonth");
		assertKept(Month.class, "getValue");
		assertNotKept(LocalDate.class, "getYear");
		assertKept(Collection.class, "size");
		assertKept(Class.class, "getSimpleName");
		assertKept(Method.class, "getParameterCount");
	}

	@Test
	void whatABeanOrANamedTypeReturnsIsKept() throws NoSuchMethodException {
		assertKept(Owners.class, "first");
		assertKept(Owner.class, "name");
		assertKept(Math.class, "abs", long.class);
		assertKept(Region.class, "code");
	}

	@Test
	void whatAnArgumentContainsIsKept() throws NoSuchMethodException {
		assertKept(Order.class, "owner");
		assertKept(Line.class, "id");
	}

	@Test
	void theConstructorsOfANewObjectAreKept() throws NoSuchMethodException {
		assertThat(RuntimeHintsPredicates.reflection()
			.onConstructorInvocation(BigDecimal.class.getConstructor(String.class))).accepts(this.hints);
		assertKept(BigDecimal.class, "scale");
	}

	static class Work {

		@DistributedLock("#name.toUpperCase() + #day.month.value")
		void texts(String name, LocalDate day) {
			// Never called.
		}

		@DistributedLock("#ids.size() + '-' + #root.targetClass.simpleName + #root.method.parameterCount")
		void lists(Collection<String> ids) {
			// Never called.
		}

		@DistributedLock("@owners.first().name()")
		void bean() {
			// Never called.
		}

		@DistributedLock("T(Math).abs(#id) + T(io.github.distlock.aop.ExpressionHintsTests$Region).of(#id).code()")
		void type(long id) {
			// Never called.
		}

		@DistributedLock("#order.owner.name + #order.lines.![id]")
		void argument(Order order) {
			// Never called.
		}

		@DistributedLock("new java.math.BigDecimal(#amount).scale()")
		void created(String amount) {
			// Never called.
		}

	}

	static class Owners {

		public Owner first() {
			return new Owner("first");
		}

	}

	record Owner(String name) {
	}

	record Line(String id) {
	}

	record Order(Owner owner, List<Line> lines) {
	}

	record Region(String code) {

		public static Region of(long id) {
			return new Region(Long.toString(id));
		}

	}

}
