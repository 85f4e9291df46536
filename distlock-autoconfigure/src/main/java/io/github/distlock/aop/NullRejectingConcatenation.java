package io.github.distlock.aop;

import java.lang.reflect.Field;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.util.ReflectionUtils;

/**
 * Lets a key expression check each operand of {@code +} and each argument of the methods
 * of String that convert it to text. SpEL itself evaluates {@code 'order-' + #id} to
 * {@code 'order-null'} if the id is null, so that all such calls would share one lock,
 * and it has no hook to prevent that. Therefore the operands are replaced in the tree,
 * wherever they are in it. A tree cannot be built anew instead: some nodes do not say
 * what they were built from.
 */
final class NullRejectingConcatenation {

	/** Protected in SpEL, so that only a node can replace its own children. */
	static final Field CHILDREN = Objects.requireNonNull(ReflectionUtils.findField(SpelNodeImpl.class, "children"));

	private static final Set<String> STRING = Set.of("String", "java.lang.String");

	private static final Set<String> STATIC_METHODS = Set.of("format", "join", "valueOf");

	private static final Set<String> METHODS = Set.of("concat", "formatted");

	static {
		ReflectionUtils.makeAccessible(CHILDREN);
	}

	private NullRejectingConcatenation() {
	}

	static SpelNodeImpl guard(SpelNodeImpl node, KeyConverter guard) {
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNodeImpl child = (SpelNodeImpl) node.getChild(i);
			guard(child, guard);
			SpelNode target = (node instanceof CompoundExpression && i > 0) ? node.getChild(i - 1) : null;
			if (child instanceof MethodReference method && makesText(target, method.getName())) {
				replaceChildren(method, guard::argument);
			}
		}
		if (node instanceof OpPlus && node.getChildCount() == 2) {
			replaceChildren(node, guard::part);
		}
		return node;
	}

	/** Methods of String that convert a null argument to the text "null". */
	private static boolean makesText(@Nullable SpelNode target, String method) {
		if (target instanceof TypeReference type) {
			String name = type.getChild(0).toStringAST();
			return STRING.contains(name) && STATIC_METHODS.contains(method);
		}
		return !(target instanceof BeanReference) && METHODS.contains(method);
	}

	private static void replaceChildren(SpelNodeImpl node, BiConsumer<@Nullable Object, String> guard) {
		SpelNodeImpl[] operands = new SpelNodeImpl[node.getChildCount()];
		for (int i = 0; i < operands.length; i++) {
			operands[i] = new Operand((SpelNodeImpl) node.getChild(i), guard);
		}
		ReflectionUtils.setField(CHILDREN, node, operands);
	}

	/**
	 * Checks the value of its only child and returns it.
	 */
	private static final class Operand extends SpelNodeImpl {

		private final BiConsumer<@Nullable Object, String> guard;

		Operand(SpelNodeImpl guarded, BiConsumer<@Nullable Object, String> guard) {
			super(guarded.getStartPosition(), guarded.getEndPosition(), guarded);
			this.guard = guard;
		}

		@Override
		public TypedValue getValueInternal(ExpressionState state) {
			TypedValue typed = ((SpelNodeImpl) getChild(0)).getValueInternal(state);
			@Nullable Object value = typed.getValue();
			this.guard.accept(value, toStringAST());
			return typed;
		}

		@Override
		public String toStringAST() {
			return getChild(0).toStringAST();
		}

	}

}
