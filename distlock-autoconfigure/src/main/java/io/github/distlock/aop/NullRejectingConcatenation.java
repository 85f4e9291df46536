package io.github.distlock.aop;

import java.util.Set;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.TypeReference;

/**
 * Lets a key expression check each operand of {@code +} and each argument of the methods
 * of String that convert it to text. SpEL itself evaluates {@code 'order-' + #id} to
 * {@code 'order-null'} if the id is null, so that all such calls would share one lock,
 * and it has no hook to prevent that. Therefore the tree is rebuilt, node by node, down
 * to the concatenations. Nodes of other classes are not changed.
 */
final class NullRejectingConcatenation {

	private static final Set<String> STRING = Set.of("String", "java.lang.String");

	private static final Set<String> STATIC_METHODS = Set.of("format", "join", "valueOf");

	private static final Set<String> METHODS = Set.of("concat", "formatted");

	private final KeyConverter guard;

	private NullRejectingConcatenation(KeyConverter guard) {
		this.guard = guard;
	}

	static SpelNodeImpl guard(SpelNodeImpl node, KeyConverter guard) {
		return new NullRejectingConcatenation(guard).rebuild(node);
	}

	private SpelNodeImpl rebuild(SpelNodeImpl node) {
		if (node.getChildCount() == 0) {
			return node;
		}
		int start = node.getStartPosition();
		int end = node.getEndPosition();
		// Exact classes: unknown subclasses are not changed.
		if (node.getClass() == OpPlus.class && node.getChildCount() == 2) {
			return new OpPlus(start, end, operand(node, 0), operand(node, 1));
		}
		if (node.getClass() == Ternary.class) {
			return new Ternary(start, end, children(node));
		}
		if (node.getClass() == Elvis.class) {
			return new Elvis(start, end, children(node));
		}
		if (node.getClass() == CompoundExpression.class) {
			return new CompoundExpression(start, end, steps(node));
		}
		if (node instanceof MethodReference method) {
			return new MethodReference(method.isNullSafe(), method.getName(), start, end, children(node));
		}
		return node;
	}

	/** The children of a chain: the target, and the methods that are called on it. */
	private SpelNodeImpl[] steps(SpelNodeImpl compound) {
		SpelNodeImpl[] steps = children(compound);
		for (int i = 1; i < steps.length; i++) {
			if (steps[i] instanceof MethodReference method && makesText(steps[i - 1], method.getName())) {
				SpelNodeImpl[] arguments = new SpelNodeImpl[method.getChildCount()];
				for (int j = 0; j < arguments.length; j++) {
					arguments[j] = new Operand((SpelNodeImpl) method.getChild(j), this.guard::argument);
				}
				steps[i] = new MethodReference(method.isNullSafe(), method.getName(), method.getStartPosition(),
						method.getEndPosition(), arguments);
			}
		}
		return steps;
	}

	/** Methods of String that convert a null argument to the text "null". */
	private static boolean makesText(SpelNodeImpl target, String method) {
		if (target instanceof TypeReference type) {
			String name = type.getChild(0).toStringAST();
			return STRING.contains(name) && STATIC_METHODS.contains(method);
		}
		return !(target instanceof BeanReference) && METHODS.contains(method);
	}

	private SpelNodeImpl[] children(SpelNodeImpl node) {
		SpelNodeImpl[] children = new SpelNodeImpl[node.getChildCount()];
		for (int i = 0; i < children.length; i++) {
			children[i] = rebuild((SpelNodeImpl) node.getChild(i));
		}
		return children;
	}

	private SpelNodeImpl operand(SpelNodeImpl node, int index) {
		return new Operand(rebuild((SpelNodeImpl) node.getChild(index)), this.guard::part);
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
