package io.github.distlock.aop;

import java.util.Arrays;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * A SpEL expression over the call of a method. It is parsed and checked once and
 * evaluated for each call. Arguments are values: they are never parsed as expressions.
 */
final class MethodExpression {

	private static final SpelParserConfiguration INTERPRETED = new SpelParserConfiguration();

	private static final SpelExpressionParser PARSER = new SpelExpressionParser(INTERPRETED);

	private final Source source;

	private final ExpressionParameters parameters;

	private final Expression expression;

	private final boolean constant;

	private final StandardEvaluationContext shared = new StandardEvaluationContext();

	/**
	 * Parse and check an expression.
	 * @param source the expression
	 * @param parameters the variables that it may use
	 * @param beanFactory resolves {@code @bean} references
	 * @param preparation changes the syntax tree after the checks
	 */
	MethodExpression(Source source, ExpressionParameters parameters, ConfigurableBeanFactory beanFactory,
			UnaryOperator<SpelNodeImpl> preparation) {
		this.source = source;
		this.parameters = parameters;
		StandardTypeLocator types = new StandardTypeLocator(beanFactory.getBeanClassLoader());
		SpelNodeImpl tree = parse();
		new ExpressionValidator(source, parameters, beanFactory, types).check(tree);
		this.constant = isConstant(tree);
		this.expression = new SpelExpression(source.text(), preparation.apply(tree), INTERPRETED);
		this.shared.setBeanResolver(new BeanFactoryResolver(beanFactory));
		this.shared.setTypeLocator(types);
	}

	private static boolean isConstant(SpelNode node) {
		boolean constant = !(node instanceof VariableReference || node instanceof BeanReference
				|| node instanceof PropertyOrFieldReference || node instanceof MethodReference);
		for (int i = 0; constant && i < node.getChildCount(); i++) {
			constant = isConstant(node.getChild(i));
		}
		return constant;
	}

	/** Run a check at startup if the value is the same for each call. */
	void checkConstant(BiConsumer<@Nullable Object, @Nullable Object[]> check) {
		if (this.constant) {
			check.accept(null, new Object[0]);
		}
	}

	/** Use this type converter instead of Spring's. */
	MethodExpression converting(TypeConverter converter) {
		this.shared.setTypeConverter(converter);
		return this;
	}

	private SpelNodeImpl parse() {
		try {
			return (SpelNodeImpl) ((SpelExpression) PARSER.parseExpression(this.source.text())).getAST();
		}
		catch (ParseException | IllegalStateException ex) {
			String expression = ExpressionSuggestion.of(this.source.text());
			throw this.source.refuse("is not a SpEL expression (" + ex.getMessage()
					+ "): write a text in single quotes and arguments with #, without #{...}, as in \"'order-' + #id\""
					+ ((expression != null) ? ". Perhaps \"" + expression + "\" is meant" : ""), ex);
		}
	}

	/**
	 * Evaluate the expression for a call.
	 * @param target the object that is called
	 * @param arguments the arguments of the call
	 * @param remedy part of the message if the expression cannot be evaluated
	 * @return the value
	 * @throws LockDefinitionException if the expression cannot be evaluated
	 */
	@Nullable Object evaluate(@Nullable Object target, @Nullable Object[] arguments, String remedy) {
		MethodEvaluationContext.Root root = new MethodEvaluationContext.Root(this.source.method(), target, arguments);
		try {
			return this.expression.getValue(new MethodEvaluationContext(this.shared, this.parameters, root));
		}
		catch (EvaluationException ex) {
			for (Throwable cause = ex.getCause(); cause != null; cause = cause.getCause()) {
				if (cause instanceof LockDefinitionException refusal) {
					throw refusal;
				}
			}
			throw this.source.refuse("cannot be evaluated (" + ex.getMessage() + "): " + remedy, ex);
		}
		catch (NullPointerException ex) {
			if (isThrownByCalledMethod(ex)) {
				throw this.source.refuse("cannot be evaluated, because a method of the JDK was called with null ("
						+ ex.getMessage() + "): " + remedy, ex);
			}
			throw ex;
		}
	}

	/** Whether the expression itself, and not a bean, has called the JDK. */
	private static boolean isThrownByCalledMethod(NullPointerException ex) {
		return Arrays.stream(ex.getStackTrace())
			.map(StackTraceElement::getClassName)
			.filter((name) -> !name.startsWith("java.") && !name.startsWith("jdk.") && !name.startsWith("sun."))
			.findFirst()
			.filter((name) -> name.startsWith("org.springframework.expression."))
			.isPresent();
	}

	/**
	 * The text of an expression, with placeholders resolved.
	 *
	 * @param method the annotated method
	 * @param attribute the attribute of the annotation, {@code key} or {@code condition}
	 * @param text the expression
	 */
	record Source(LockedMethod method, String attribute, String text) {

		LockDefinitionException refuse(String problem) {
			return this.method.refuse(this.attribute, this.text, problem);
		}

		LockDefinitionException refuse(String problem, Throwable cause) {
			return this.method.refuse(this.attribute, this.text, problem, cause);
		}

	}

}
