package io.github.distlock.aop;

import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;

/**
 * Registers what the expressions of an annotation may use by reflection: members of the
 * parameters, of {@code #root}, of texts and lists in the expression, of beans and of
 * named types, and of what these return, as deep as the expression goes. An argument
 * whose class is a subclass of the declared type needs a hint of the application.
 */
final class ExpressionHints {

	/** For an expression that cannot be parsed before its placeholders are resolved. */
	private static final int UNKNOWN_DEPTH = 8;

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private static final Pattern NAME = Pattern.compile("[\\p{L}_$][\\p{L}\\p{N}_$]*");

	private final ReflectionHints hints;

	private final ConfigurableBeanFactory beanFactory;

	ExpressionHints(ReflectionHints hints, ConfigurableBeanFactory beanFactory) {
		this.hints = hints;
		this.beanFactory = beanFactory;
	}

	void register(LockAnnotation annotation) {
		register(annotation.method(), annotation.attributes().key());
		register(annotation.method(), annotation.attributes().condition());
	}

	private void register(LockedMethod locked, String expression) {
		if (expression.isBlank()) {
			return;
		}
		SpelNode tree = parse(expression);
		int depth = (tree != null) ? members(tree) : UNKNOWN_DEPTH;
		Set<String> names = NAME.matcher(expression).results().map(MatchResult::group).collect(Collectors.toSet());
		ReachableMembers reachable = new ReachableMembers(this.hints, names,
				tree != null && !expression.contains("${"));
		if (tree != null) {
			registerNamed(tree, depth, reachable);
		}
		for (Class<?> type : List.of(MethodEvaluationContext.Root.class, String.class, List.class)) {
			reachable.register(ResolvableType.forClass(type), depth);
		}
		if (names.contains("target")) {
			reachable.register(ResolvableType.forClass(locked.beanClass()), depth);
		}
		for (int i = 0; i < locked.method().getParameterCount(); i++) {
			reachable.register(ResolvableType.forMethodParameter(locked.method(), i, locked.beanClass()), depth);
		}
	}

	private static @Nullable SpelNode parse(String expression) {
		try {
			// Placeholders are not resolved yet: the parser may refuse them.
			return ((SpelExpression) PARSER.parseExpression(expression)).getAST();
		}
		catch (ParseException | IllegalStateException ex) {
			// The start of the application reports what is wrong with an expression.
			return null;
		}
	}

	/** The number of members that a tree uses. */
	private static int members(SpelNode node) {
		int members = (node instanceof PropertyOrFieldReference || node instanceof MethodReference) ? 1 : 0;
		for (int i = 0; i < node.getChildCount(); i++) {
			members += members(node.getChild(i));
		}
		return members;
	}

	/** Register beans and types that a tree names. */
	private void registerNamed(SpelNode node, int depth, ReachableMembers reachable) {
		if (node instanceof TypeReference) {
			reachable.register(ResolvableType.forClass(Class.class), depth);
			Class<?> type = type(node.getChild(0).toStringAST());
			if (type != null) {
				reachable.register(ResolvableType.forClass(type), depth);
			}
		}
		else if (node instanceof ConstructorReference) {
			Class<?> type = type(node.getChild(0).toStringAST());
			if (type != null) {
				this.hints.registerType(type, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
				reachable.register(ResolvableType.forClass(type), depth);
			}
		}
		else if (node instanceof BeanReference) {
			registerBean(node.toStringAST(), depth, reachable);
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			registerNamed(node.getChild(i), depth, reachable);
		}
	}

	/** The type that an expression calls by this name, perhaps without its package. */
	private @Nullable Class<?> type(String name) {
		try {
			return new StandardTypeLocator(this.beanFactory.getBeanClassLoader()).findType(name);
		}
		catch (EvaluationException | LinkageError ex) {
			// The start of the application reports it.
			return null;
		}
	}

	private void registerBean(String reference, int depth, ReachableMembers reachable) {
		String name = reference.replace("@", "").replace("'", "");
		Class<?> type = this.beanFactory.containsBean(name) ? this.beanFactory.getType(name) : null;
		if (type != null) {
			reachable.register(ResolvableType.forClass(ClassUtils.getUserClass(type)), depth);
		}
	}

}
