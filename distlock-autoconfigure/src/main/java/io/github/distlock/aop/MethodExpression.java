package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.util.Set;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;

/**
 * A SpEL expression over the call of a method: a condition, or the expression of a
 * {@link KeyExpression}. It is parsed and checked once and evaluated for each call.
 * Arguments are values: they are never parsed as expressions.
 */
final class MethodExpression {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private final LockedMethod method;

	private final String attribute;

	private final String text;

	private final ExpressionParameters parameters;

	private SpelExpression expression;

	/** What the contexts of all calls have in common. */
	private final StandardEvaluationContext shared = new StandardEvaluationContext();

	/**
	 * Parse and check an expression.
	 * @param method the annotated method
	 * @param attribute the attribute of the annotation, {@code key} or {@code condition}
	 * @param text the expression, with placeholders resolved
	 * @param parameters the variables that it may use
	 * @param beanFactory resolves {@code @bean} references
	 */
	MethodExpression(LockedMethod method, String attribute, String text, ExpressionParameters parameters,
			ConfigurableBeanFactory beanFactory) {
		this.method = method;
		this.attribute = attribute;
		this.text = text;
		this.parameters = parameters;
		this.expression = parse();
		parameters.check(this);
		this.shared.setBeanResolver(new BeanFactoryResolver(beanFactory));
		this.shared.setTypeLocator(new StandardTypeLocator(beanFactory.getBeanClassLoader()));
	}

	private SpelExpression parse() {
		try {
			return (SpelExpression) PARSER.parseExpression(this.text);
		}
		catch (ParseException | IllegalStateException ex) {
			throw refuse("is not a SpEL expression (" + ex.getMessage()
					+ "): write a text in single quotes and arguments with #, without #{...}, as in \"'order-' + #id\"",
					ex);
		}
	}

	SpelNode tree() {
		return this.expression.getAST();
	}

	/** Whether a node is a parameter that is declared as a number. */
	boolean isNumber(SpelNode node) {
		Integer position = (node instanceof VariableReference)
				? this.parameters.position(node.toStringAST().substring(1)) : null;
		return position != null && Number.class.isAssignableFrom(
				ClassUtils.resolvePrimitiveIfNecessary(this.method.method().getParameterTypes()[position]));
	}

	/** Check the values inside, and use this type converter instead of Spring's. */
	void checkWith(KeyConverter converter) {
		SpelNodeImpl checked = converter.guard((SpelNodeImpl) tree(), false, true);
		this.expression = new SpelExpression(this.text, checked, new SpelParserConfiguration());
		this.shared.setTypeConverter(converter);
	}

	LockDefinitionException refuse(String problem) {
		return refuse(problem, null);
	}

	private LockDefinitionException refuse(String problem, @Nullable Throwable cause) {
		return this.method.refuse(this.attribute, this.text, problem, cause);
	}

	/**
	 * Evaluate a condition for a call.
	 * @param target the object that is called
	 * @param arguments the arguments of the call
	 * @return whether the condition holds
	 * @throws LockDefinitionException if the value is neither true nor false
	 */
	boolean holds(@Nullable Object target, @Nullable Object[] arguments) {
		Object value = value(target, arguments,
				"write an expression that is true or false for every call, as in #order?.paid == true");
		if (value instanceof Boolean holds) {
			return holds;
		}
		throw refuse("evaluated to " + ((value != null) ? "an instance of " + value.getClass().getTypeName() : "null")
				+ ", which is neither true nor false: compare it with something, as in #amount > 10 or #id != null");
	}

	/**
	 * Evaluate the expression for a call.
	 * @param target the object that is called
	 * @param arguments the arguments of the call
	 * @param remedy part of the message if the expression cannot be evaluated
	 * @return the value
	 * @throws LockDefinitionException if the expression cannot be evaluated
	 */
	@Nullable Object value(@Nullable Object target, @Nullable Object[] arguments, String remedy) {
		try {
			return this.expression.getValue(new CallContext(new Root(this.method, target, arguments)));
		}
		catch (EvaluationException ex) {
			if (NestedExceptionUtils.getRootCause(ex) instanceof LockDefinitionException refusal) {
				throw refusal;
			}
			throw refuse("cannot be evaluated (" + ex.getMessage() + "): " + remedy, ex);
		}
	}

	/** The arguments of one call as variables. */
	private final class CallContext extends StandardEvaluationContext {

		private final @Nullable Object[] arguments;

		CallContext(Root root) {
			super(root);
			this.arguments = root.args;
			MethodExpression.this.shared.applyDelegatesTo(this);
		}

		@Override
		public @Nullable Object lookupVariable(String name) {
			Integer position = MethodExpression.this.parameters.position(name);
			return (position != null) ? this.arguments[position] : null;
		}

	}

	/**
	 * The {@code #root} of an expression. Method and class are those that the author of
	 * the application has written, never those of a proxy or of a lambda.
	 */
	static final class Root {

		/** The properties, which can be used with or without {@code #root}. */
		static final Set<String> PROPERTIES = Set.of("method", "methodName", "target", "targetClass", "args");

		private final LockedMethod method;

		private final @Nullable Object target;

		private final @Nullable Object[] args;

		Root(LockedMethod method, @Nullable Object target, @Nullable Object[] args) {
			this.method = method;
			this.target = target;
			this.args = args;
		}

		public Method getMethod() {
			return this.method.method();
		}

		public String getMethodName() {
			return this.method.method().getName();
		}

		public @Nullable Object getTarget() {
			return this.target;
		}

		public Class<?> getTargetClass() {
			return LockedMethod.isGenerated(this.method.beanClass()) ? getMethod().getDeclaringClass()
					: this.method.beanClass();
		}

		public @Nullable Object[] getArgs() {
			return this.args;
		}

	}

}
