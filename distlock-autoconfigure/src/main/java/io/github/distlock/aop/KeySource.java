package io.github.distlock.aop;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Determines the keys of a call.
 */
sealed interface KeySource {

	/**
	 * Determine the keys.
	 * @param target the object that is called
	 * @param arguments the arguments of the call
	 * @return at least one key; sorted, without duplicates and blank keys
	 * @throws io.github.distlock.LockDefinitionException if there is no key, or a value
	 * cannot be a key
	 */
	List<String> keys(@Nullable Object target, @Nullable Object[] arguments);

	/**
	 * The key of an annotation without a key: the declaring class and the method.
	 *
	 * @param text the key
	 */
	record MethodKey(String text) implements KeySource {

		@Override
		public List<String> keys(@Nullable Object target, @Nullable Object[] arguments) {
			return List.of(this.text);
		}

	}

	/**
	 * A key written in SpEL.
	 */
	final class KeyExpression implements KeySource {

		private final KeyConverter converter;

		private final MethodExpression expression;

		/**
		 * Parse and check the expression.
		 * @param source the expression
		 * @param parameters the variables that it may use
		 * @param beanFactory resolves {@code @bean} references
		 */
		KeyExpression(MethodExpression.Source source, ExpressionParameters parameters,
				ConfigurableBeanFactory beanFactory) {
			this.converter = new KeyConverter(source);
			this.expression = new MethodExpression(source, parameters, beanFactory,
					(tree) -> NullRejectingConcatenation.guard(tree, this.converter))
				.converting(this.converter);
			this.expression.checkConstant(this::keys);
		}

		@Override
		public List<String> keys(@Nullable Object target, @Nullable Object[] arguments) {
			List<String> keys = this.converter.keys(this.expression.evaluate(target, arguments,
					"write an expression that gives a key for every call, as in #order?.id ?: 'none'"));
			this.converter.checkClassNames(keys, target);
			this.converter.checkClassNames(keys, arguments);
			return keys;
		}

	}

}
