package io.github.distlock.aop;

import java.lang.reflect.Method;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * A key written in SpEL: parsed and checked once, evaluated once for each call. An
 * argument is only ever a value, never an expression.
 */
final class KeyExpression implements KeySource {

	private static final SpelParserConfiguration INTERPRETED = new SpelParserConfiguration();

	private static final SpelExpressionParser PARSER = new SpelExpressionParser(INTERPRETED);

	private final LockedMethod where;

	private final KeyGuard guard;

	private final KeyParameters parameters;

	private final Expression expression;

	private final StandardEvaluationContext shared;

	/**
	 * Parse and check an expression.
	 * @param text the expression, placeholders resolved
	 * @param where the method to lock
	 * @param annotated the method that has the annotation, {@code null} if the class has
	 * it
	 * @param beanFactory where {@code @bean} references lead
	 */
	KeyExpression(String text, LockedMethod where, @Nullable Method annotated, ConfigurableBeanFactory beanFactory) {
		this.where = where;
		this.guard = new KeyGuard(where, text);
		this.parameters = new KeyParameters(annotated, where.method());
		StandardTypeLocator types = new StandardTypeLocator(beanFactory.getBeanClassLoader());
		SpelNodeImpl tree = parse(text);
		new KeyExpressionCheck(this.guard, this.parameters, beanFactory, types).check(tree);
		this.expression = new SpelExpression(text, GuardedConcatenation.guard(tree, this.guard), INTERPRETED);
		this.shared = new StandardEvaluationContext();
		this.shared.setBeanResolver(new BeanFactoryResolver(beanFactory));
		this.shared.setTypeLocator(types);
		this.shared.setTypeConverter(new KeyTypeConverter(this.guard));
	}

	private SpelNodeImpl parse(String text) {
		try {
			return (SpelNodeImpl) ((SpelExpression) PARSER.parseExpression(text)).getAST();
		}
		catch (ParseException | IllegalStateException ex) {
			throw this.guard.refuse("is no SpEL expression (" + ex.getMessage()
					+ "): write a text in single quotes and arguments with #, without #{...}, as in \"'order-' + #id\"",
					ex);
		}
	}

	@Override
	public String key(@Nullable Object target, @Nullable Object[] arguments) {
		KeyRoot root = new KeyRoot(this.where, target, arguments);
		@Nullable Object value;
		try {
			value = this.expression.getValue(new KeyContext(this.shared, this.parameters, root));
		}
		catch (EvaluationException ex) {
			for (Throwable cause = ex.getCause(); cause != null; cause = cause.getCause()) {
				if (cause instanceof LockDefinitionException refusal) {
					throw refusal;
				}
			}
			throw this.guard.refuse("cannot be evaluated (" + ex.getMessage()
					+ "): write an expression that gives a key for every call, as in #order?.id ?: 'none'", ex);
		}
		return this.guard.key(value);
	}

}
