package io.github.distlock.aop;

import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.util.Date;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.support.StandardTypeConverter;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Converts values to the texts that are keys or parts of a key, and refuses values whose
 * text is not the same in every JVM.
 * <p>
 * It is also the type converter of the expression. The standard converter joins a
 * collection with commas, so that {@code ["a,b"]} and {@code ["a", "b"]} would be the
 * same key.
 */
final class KeyConverter extends StandardTypeConverter {

	/** Protected in SpEL, so that only a node can replace its own children. */
	static final Field CHILDREN = Objects.requireNonNull(ReflectionUtils.findField(SpelNodeImpl.class, "children"));

	/** A character of a class name. */
	private static final String CHARACTER = "\\p{javaJavaIdentifierPart}";

	/**
	 * The result of Object.toString() anywhere in a text: the qualified name of a class
	 * or a lambda, or an array type, and the identity hash. Does not match texts such as
	 * {@code order-17@3} or a mail address. A class without a package looks like these,
	 * so it is found only if the value itself is an instance of it.
	 */
	private static final Pattern IDENTITY = Pattern.compile("(?<!" + CHARACTER + ")(?:" + CHARACTER + "+\\.)+"
			+ CHARACTER + "+(?:/0x[0-9a-f]+)?@[0-9a-f]{1,8}(?![\\w.-])|\\[(?:[BCDFIJSZ]|L[^;\\[\\s]+;)@[0-9a-f]{1,8}");

	/** A number with a larger scale is written with an exponent. */
	private static final int MAXIMUM_SCALE = 100;

	static {
		ReflectionUtils.makeAccessible(CHILDREN);
	}

	private final MethodExpression expression;

	KeyConverter(MethodExpression expression) {
		this.expression = expression;
	}

	/**
	 * Return the text of a value, which is the same in every JVM.
	 * @param value the value
	 * @param problem begins the sentence if there is no such text
	 */
	String text(@Nullable Object value, String problem) {
		if (value == null) {
			throw this.expression.refuse(problem + "is null: all calls without a value would share one lock. Pass a "
					+ "value, or write what null means, as in (#id != null ? #id : 'none')");
		}
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		if (value.getClass() == Date.class) {
			// toString() depends on the time zone of the JVM.
			return ((Date) value).toInstant().toString();
		}
		if (value instanceof BigDecimal number) {
			// 1.0 and 1.00 are the same amount, which must not have two locks.
			BigDecimal amount = number.stripTrailingZeros();
			return (Math.abs((long) amount.scale()) < MAXIMUM_SCALE) ? amount.toPlainString() : amount.toString();
		}
		check(value, problem + "is an instance of " + value.getClass().getTypeName());
		return value.toString();
	}

	private void check(Object value, String problem) {
		Class<?> type = value.getClass();
		boolean simple = ClassUtils.isSimpleValueType(type);
		if (!simple
				&& (type.isArray() || value instanceof Iterable || value instanceof Map || value instanceof Optional)) {
			throw this.expression.refuse(problem + ": write an expression that gives one text, such as #ids[0] or "
					+ "#id.get(); for several keys the whole expression must be a collection or an array of texts, "
					+ "such as #ids.![#prefix + #this]");
		}
		if (value instanceof Class<?> named && LockedMethod.isGenerated(named)) {
			throw this.expression.refuse(problem + ", the generated class " + named.getName()
					+ ", whose name differs from JVM to JVM: write #root.targetClass, or a fixed text");
		}
		String text = value.toString();
		if (text.indexOf('@') >= 0 && !(value instanceof String)
				&& (isIdentity(text, value, type) || !simple && IDENTITY.matcher(text).find())) {
			throw this.expression.refuse(problem + ", whose toString() differs from instance to instance (" + text
					+ "), since it, or an object in it, has none of its own: each would be another lock. Write one of "
					+ "its properties, such as #order.id, or override toString()");
		}
	}

	private static boolean isIdentity(String text, Object value, Class<?> type) {
		return text.endsWith("@" + Integer.toHexString(System.identityHashCode(value)))
				|| text.equals(type.getName() + "@" + Integer.toHexString(value.hashCode()));
	}

	@Override
	public @Nullable Object convertValue(@Nullable Object value, @Nullable TypeDescriptor sourceType,
			TypeDescriptor targetType) {
		return (value != null && targetType.getType() == String.class)
				? text(value, "cannot be evaluated: its part that is converted to a text ")
				: super.convertValue(value, sourceType, targetType);
	}

	/**
	 * Let the operands of each {@code +} be checked. SpEL itself evaluates
	 * {@code 'order-' + #id} to {@code 'order-null'} if the id is null, so that all such
	 * calls would share one lock, and it has no hook to prevent that. Therefore the
	 * operands are replaced in the tree. A tree cannot be built anew instead: some nodes
	 * do not say what they were built from.
	 */
	void guard(SpelNode node) {
		for (int i = 0; i < node.getChildCount(); i++) {
			guard(node.getChild(i));
		}
		if (node instanceof OpPlus && node.getChildCount() == 2) {
			ReflectionUtils.setField(CHILDREN, node,
					new SpelNodeImpl[] { new Operand(node.getChild(0)), new Operand(node.getChild(1)) });
		}
	}

	/**
	 * Checks the value of its only child and returns it.
	 */
	private final class Operand extends SpelNodeImpl {

		Operand(SpelNode operand) {
			super(operand.getStartPosition(), operand.getEndPosition(), (SpelNodeImpl) operand);
		}

		@Override
		public TypedValue getValueInternal(ExpressionState state) {
			TypedValue typed = ((SpelNodeImpl) getChild(0)).getValueInternal(state);
			text(typed.getValue(), "cannot be evaluated: its part " + toStringAST() + " ");
			return typed;
		}

		@Override
		public String toStringAST() {
			return getChild(0).toStringAST();
		}

	}

}
