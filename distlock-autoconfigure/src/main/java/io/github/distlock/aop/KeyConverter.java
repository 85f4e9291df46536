package io.github.distlock.aop;

import java.lang.reflect.Field;
import java.util.Objects;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.SpringVersion;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.support.StandardTypeConverter;
import org.springframework.util.ReflectionUtils;

/**
 * Checks the values inside a key expression that become parts of a key.
 * <p>
 * It is also the type converter of the expression. The standard converter joins a
 * collection with commas, so that {@code ["a,b"]} and {@code ["a", "b"]} would be the
 * same key.
 */
final class KeyConverter extends StandardTypeConverter {

	private final MethodExpression expression;

	KeyConverter(MethodExpression expression) {
		this.expression = expression;
	}

	/**
	 * Return the field with the children of a node. It is protected in SpEL, so that only
	 * a node can replace its own children. Not found by a class initializer, whose
	 * failure would be thrown once and name no version.
	 */
	static Field children(Class<?> node) {
		Field children = ReflectionUtils.findField(node, "children", SpelNodeImpl[].class);
		if (children == null) {
			throw new LockDefinitionException(
					"Key expressions cannot be read with Spring Framework " + SpringVersion.getVersion() + ", whose "
							+ node.getSimpleName() + " differs. Use a version with which distlock was tested");
		}
		ReflectionUtils.makeAccessible(children);
		return children;
	}

	@Override
	public @Nullable Object convertValue(@Nullable Object value, @Nullable TypeDescriptor sourceType,
			TypeDescriptor targetType) {
		return (value != null && targetType.getType() == String.class) ? KeyText.of(value,
				"cannot be evaluated: its part that is converted to a text ", this.expression::refuse)
				: super.convertValue(value, sourceType, targetType);
	}

	/**
	 * Let the operands of each {@code +} be checked. SpEL itself evaluates
	 * {@code 'order-' + #id} to {@code 'order-null'} if the id is null, so that all such
	 * calls would share one lock, and it has no hook to prevent that. Therefore the
	 * operands are replaced in the tree, as are sums that become a text. A tree cannot be
	 * built anew instead: some nodes do not say what they were built from.
	 * @param node the node
	 * @param operand whether it is the operand of a {@code +}
	 * @param text whether its value becomes a text
	 * @return what takes its place in the tree
	 */
	SpelNodeImpl guard(SpelNodeImpl node, boolean operand, boolean text) {
		boolean sum = text && isSum(node);
		SpelNodeImpl[] children = (SpelNodeImpl[]) Objects
			.requireNonNull(ReflectionUtils.getField(children(SpelNodeImpl.class), node));
		boolean plus = node instanceof OpPlus && children.length == 2;
		boolean texts = text && (plus || node instanceof Ternary || node instanceof Elvis || node instanceof InlineList
				|| node instanceof CompoundExpression || node instanceof Projection);
		for (int i = 0; i < children.length; i++) {
			children[i] = guard(children[i], plus, texts);
		}
		return (operand || sum) ? new Operand(node, sum) : node;
	}

	/**
	 * Return whether a node adds two parts of a key if they are numbers. A sum with a
	 * literal or a product is meant as such.
	 * @throws LockDefinitionException if the parameters are declared as numbers
	 */
	private boolean isSum(SpelNode node) {
		boolean sum = node instanceof OpPlus && node.getChildCount() == 2 && isPart(node.getChild(0))
				&& isPart(node.getChild(1));
		if (sum && this.expression.isNumber(node.getChild(0)) && this.expression.isNumber(node.getChild(1))) {
			throw sum(node);
		}
		return sum;
	}

	private static boolean isPart(SpelNode operand) {
		return !(operand instanceof Literal || operand instanceof Operator);
	}

	private LockDefinitionException sum(SpelNode plus) {
		return this.expression
			.refuse("adds two numbers, " + plus.toStringAST() + ", so that all calls with the same sum "
					+ "would share one lock: write a text between them, as in #a + '-' + #b");
	}

	/**
	 * Checks the value of its only child and returns it.
	 */
	private final class Operand extends SpelNodeImpl {

		private final boolean sum;

		Operand(SpelNodeImpl operand, boolean sum) {
			super(operand.getStartPosition(), operand.getEndPosition(), operand);
			this.sum = sum;
		}

		@Override
		public TypedValue getValueInternal(ExpressionState state) {
			TypedValue typed = ((SpelNodeImpl) getChild(0)).getValueInternal(state);
			if (this.sum && typed.getValue() instanceof Number) {
				throw sum(getChild(0));
			}
			KeyText.of(typed.getValue(), "cannot be evaluated: its part " + toStringAST() + " ",
					KeyConverter.this.expression::refuse);
			return typed;
		}

		@Override
		public String toStringAST() {
			return getChild(0).toStringAST();
		}

	}

}
