package io.github.distlock.aop;

import java.util.Arrays;
import java.util.function.UnaryOperator;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * An expression over the call of a method: parsed and checked once, evaluated once for
 * each call. An argument is only ever a value, never an expression.
 */
final class MethodExpression {

	private static final SpelParserConfiguration INTERPRETED = new SpelParserConfiguration();

	private static final SpelExpressionParser PARSER = new SpelExpressionParser(INTERPRETED);

	private final WrittenExpression written;

	private final ExpressionParameters parameters;

	private final Expression expression;

	private final StandardEvaluationContext shared = new StandardEvaluationContext();

	/**
	 * Parse and check an expression.
	 * @param written the expression
	 * @param parameters the variables it may use
	 * @param beanFactory where {@code @bean} references lead
	 * @param preparation of the tree, when it has been checked
	 */
	MethodExpression(WrittenExpression written, ExpressionParameters parameters, ConfigurableBeanFactory beanFactory,
			UnaryOperator<SpelNodeImpl> preparation) {
		this.written = written;
		this.parameters = parameters;
		StandardTypeLocator types = new StandardTypeLocator(beanFactory.getBeanClassLoader());
		SpelNodeImpl tree = parse();
		new ExpressionValidator(written, parameters, beanFactory, types).check(tree);
		this.expression = new SpelExpression(written.text(), preparation.apply(tree), INTERPRETED);
		this.shared.setBeanResolver(new BeanFactoryResolver(beanFactory));
		this.shared.setTypeLocator(types);
	}

	/** Convert values this way, instead of Spring's. */
	MethodExpression converting(TypeConverter converter) {
		this.shared.setTypeConverter(converter);
		return this;
	}

	private SpelNodeImpl parse() {
		try {
			return (SpelNodeImpl) ((SpelExpression) PARSER.parseExpression(this.written.text())).getAST();
		}
		catch (ParseException | IllegalStateException ex) {
			String expression = WrittenText.expression(this.written.text());
			throw this.written.refuse("is no SpEL expression (" + ex.getMessage()
					+ "): write a text in single quotes and arguments with #, without #{...}, as in \"'order-' + #id\""
					+ ((expression != null) ? ". Perhaps \"" + expression + "\" is meant" : ""), ex);
		}
	}

	/**
	 * Evaluate it.
	 * @param target the object that is called
	 * @param arguments what it is called with
	 * @param remedy what to write if it cannot be evaluated
	 * @return its value
	 * @throws LockDefinitionException if it has none
	 */
	@Nullable Object evaluate(@Nullable Object target, @Nullable Object[] arguments, String remedy) {
		KeyRoot root = new KeyRoot(this.written.where(), target, arguments);
		try {
			return this.expression.getValue(new MethodEvaluationContext(this.shared, this.parameters, root));
		}
		catch (EvaluationException ex) {
			for (Throwable cause = ex.getCause(); cause != null; cause = cause.getCause()) {
				if (cause instanceof LockDefinitionException refusal) {
					throw refusal;
				}
			}
			throw this.written.refuse("cannot be evaluated (" + ex.getMessage() + "): " + remedy, ex);
		}
		catch (NullPointerException ex) {
			if (isThrownByCalledMethod(ex)) {
				throw this.written.refuse("cannot be evaluated, since a method of the JDK was called with null ("
						+ ex.getMessage() + "): " + remedy, ex);
			}
			throw ex;
		}
	}

	/** Whether the expression itself has called the JDK, and not a bean. */
	private static boolean isThrownByCalledMethod(NullPointerException ex) {
		return Arrays.stream(ex.getStackTrace())
			.map(StackTraceElement::getClassName)
			.filter((name) -> !name.startsWith("java.") && !name.startsWith("jdk.") && !name.startsWith("sun."))
			.findFirst()
			.filter((name) -> name.startsWith("org.springframework.expression."))
			.isPresent();
	}

}
