package io.github.distlock.aop;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * A key written in SpEL.
 */
final class KeyExpression implements KeySource {

	private final KeyConverter guard;

	private final MethodExpression expression;

	/**
	 * Parse and check an expression.
	 * @param written the expression
	 * @param parameters the variables it may use
	 * @param beanFactory where {@code @bean} references lead
	 */
	KeyExpression(WrittenExpression written, ExpressionParameters parameters, ConfigurableBeanFactory beanFactory) {
		this.guard = new KeyConverter(written);
		this.expression = new MethodExpression(written, parameters, beanFactory,
				(tree) -> NullRejectingConcatenation.guard(tree, this.guard))
			.converting(new KeyTypeConverter(this.guard));
	}

	@Override
	public List<String> keys(@Nullable Object target, @Nullable Object[] arguments) {
		List<String> keys = this.guard.keys(this.expression.evaluate(target, arguments,
				"write an expression that gives a key for every call, as in #order?.id ?: 'none'"));
		this.guard.checkNames(keys, target);
		this.guard.checkNames(keys, arguments);
		return keys;
	}

}
