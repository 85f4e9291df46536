package io.github.distlock.aop;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.expression.spel.ast.Operator;

/**
 * Decides whether a call needs the lock.
 */
@FunctionalInterface
interface Condition {

	/** The condition of annotations without one. */
	Condition ALWAYS = (target, arguments) -> true;

	/**
	 * Decide whether a call needs the lock.
	 * @param target the object that is called
	 * @param arguments the arguments of the call
	 * @return whether the call needs the lock
	 * @throws io.github.distlock.LockDefinitionException if the condition has no value
	 */
	boolean holds(@Nullable Object target, @Nullable Object[] arguments);

	/**
	 * A condition written in SpEL.
	 */
	final class ConditionExpression implements Condition {

		private final MethodExpression.Source source;

		private final MethodExpression expression;

		/**
		 * Parse and check the expression.
		 * @param source the expression
		 * @param parameters the variables that it may use
		 * @param beanFactory resolves {@code @bean} references
		 */
		ConditionExpression(MethodExpression.Source source, ExpressionParameters parameters,
				ConfigurableBeanFactory beanFactory) {
			this.source = source;
			this.expression = new MethodExpression(source, parameters, beanFactory, (tree) -> {
				if (tree instanceof Operator operator && "+-*/%^".contains(operator.getOperatorName())) {
					throw source.refuse("calculates a number or a text, which is neither true nor false: compare it "
							+ "with something, as in #amount > 10");
				}
				return tree;
			});
			this.expression.checkConstant(this::holds);
		}

		@Override
		public boolean holds(@Nullable Object target, @Nullable Object[] arguments) {
			Object value = this.expression.evaluate(target, arguments,
					"write an expression that is true or false for every call, as in #order?.paid == true");
			if (value instanceof Boolean holds) {
				return holds;
			}
			String described = (value != null) ? "an instance of " + value.getClass().getTypeName() : "null";
			throw this.source.refuse("evaluated to " + described
					+ ", which is neither true nor false: compare it with something, as in #amount > 10 or #id != null");
		}

	}

}
