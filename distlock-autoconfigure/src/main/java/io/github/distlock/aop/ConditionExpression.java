package io.github.distlock.aop;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * A condition written in SpEL.
 */
final class ConditionExpression implements Condition {

	private final WrittenExpression written;

	private final MethodExpression expression;

	/**
	 * Parse and check an expression.
	 * @param written the expression
	 * @param parameters the variables it may use
	 * @param beanFactory where {@code @bean} references lead
	 */
	ConditionExpression(WrittenExpression written, ExpressionParameters parameters,
			ConfigurableBeanFactory beanFactory) {
		this.written = written;
		this.expression = new MethodExpression(written, parameters, beanFactory, (tree) -> tree);
	}

	@Override
	public boolean holds(@Nullable Object target, @Nullable Object[] arguments) {
		Object value = this.expression.evaluate(target, arguments,
				"write an expression that is true or false for every call, as in #order?.paid == true");
		if (value instanceof Boolean holds) {
			return holds;
		}
		String described = (value != null) ? "an instance of " + value.getClass().getTypeName() : "null";
		throw this.written.refuse("evaluated to " + described
				+ ", which is neither true nor false: compare it with something, as in #amount > 10 or #id != null");
	}

}
