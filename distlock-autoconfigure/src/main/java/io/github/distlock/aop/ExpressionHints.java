package io.github.distlock.aop;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;

/**
 * Registers the types whose members the expressions of an annotation may use: those of
 * the parameters, what their members return as deep as the expression goes, beans and
 * named types. An argument whose class is a subclass of the declared type needs a hint of
 * the application.
 */
final class ExpressionHints {

	/** For an expression that cannot be parsed before its placeholders are resolved. */
	private static final int UNKNOWN_DEPTH = 8;

	/** A type can contain itself through its type variables. */
	private static final int MAXIMUM_NESTING = 4;

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private final ReflectionHints hints;

	private final ConfigurableBeanFactory beanFactory;

	ExpressionHints(ReflectionHints hints, ConfigurableBeanFactory beanFactory) {
		this.hints = hints;
		this.beanFactory = beanFactory;
	}

	void register(LockAnnotation annotation) {
		register(annotation, annotation.attributes().key());
		register(annotation, annotation.attributes().condition());
	}

	private void register(LockAnnotation annotation, String expression) {
		if (expression.isBlank()) {
			return;
		}
		int depth = UNKNOWN_DEPTH;
		try {
			// Placeholders are not resolved yet: the parser may refuse them.
			SpelNode tree = ((SpelExpression) PARSER.parseExpression(expression)).getAST();
			depth = registerNamed(tree);
		}
		catch (ParseException | IllegalStateException ex) {
			// The start of the application reports what is wrong with an expression.
		}
		LockedMethod locked = annotation.method();
		if (expression.contains("target")) {
			registerMembers(locked.beanClass());
		}
		Map<Class<?>, Integer> known = new HashMap<>();
		for (int i = 0; i < locked.method().getParameterCount(); i++) {
			registerReachable(ResolvableType.forMethodParameter(locked.method(), i, locked.beanClass()), depth, known);
		}
	}

	/**
	 * Register beans and types that a tree names.
	 * @return the number of members that the tree uses
	 */
	private int registerNamed(SpelNode node) {
		if (node instanceof TypeReference) {
			registerType(node.getChild(0).toStringAST());
		}
		else if (node instanceof BeanReference) {
			registerBean(node.toStringAST());
		}
		int members = (node instanceof PropertyOrFieldReference || node instanceof MethodReference) ? 1 : 0;
		for (int i = 0; i < node.getChildCount(); i++) {
			members += registerNamed(node.getChild(i));
		}
		return members;
	}

	private void registerType(String name) {
		try {
			registerMembers(ClassUtils.forName(name, this.beanFactory.getBeanClassLoader()));
		}
		catch (ClassNotFoundException | LinkageError ex) {
			// The start of the application reports it.
		}
	}

	private void registerBean(String reference) {
		String name = reference.replace("@", "").replace("'", "");
		Class<?> type = this.beanFactory.containsBean(name) ? this.beanFactory.getType(name) : null;
		if (type != null) {
			registerMembers(ClassUtils.getUserClass(type));
		}
	}

	/** Register a type, its type arguments, and what their members return. */
	private void registerReachable(ResolvableType type, int depth, Map<Class<?>, Integer> known) {
		elements(type, MAXIMUM_NESTING).filter((element) -> !isOfJdk(element.toClass())).forEach((element) -> {
			Class<?> raw = element.toClass();
			if (depth > known.getOrDefault(raw, -1)) {
				known.put(raw, depth);
				registerMembers(raw);
				for (Method method : raw.getMethods()) {
					registerReachable(ResolvableType.forMethodReturnType(method, raw), depth - 1, known);
				}
				for (Field field : raw.getFields()) {
					registerReachable(ResolvableType.forField(field, element), depth - 1, known);
				}
			}
		});
	}

	/** The type itself, or what arrays and containers of this type contain. */
	private static Stream<ResolvableType> elements(ResolvableType type, int nesting) {
		if (nesting == 0) {
			return Stream.empty();
		}
		if (type.isArray()) {
			return elements(type.getComponentType(), nesting - 1);
		}
		return Stream.concat(Stream.of(type),
				Arrays.stream(type.getGenerics()).flatMap((argument) -> elements(argument, nesting - 1)));
	}

	private void registerMembers(Class<?> type) {
		this.hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.ACCESS_PUBLIC_FIELDS);
	}

	private static boolean isOfJdk(Class<?> type) {
		return type.isPrimitive() || type.getName().startsWith("java.");
	}

}
