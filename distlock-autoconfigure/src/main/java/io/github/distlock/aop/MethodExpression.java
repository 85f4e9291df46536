package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;

/**
 * A SpEL expression over the call of a method: a condition, or the expression of a
 * {@link KeyExpression}. It is parsed and checked once and evaluated for each call.
 * Arguments are values: they are never parsed as expressions. Their variables are
 * {@code #a0} and {@code #p0} by position, and the names of the parameters if the class
 * file contains them.
 */
final class MethodExpression {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

	/** What would be a variable or a part of a template outside of a literal. */
	private static final Pattern REFERENCE = Pattern.compile("#(?:\\{|root\\b|(\\p{javaJavaIdentifierPart}+))");

	private final LockedMethod method;

	private final String attribute;

	private final String text;

	/** The positions of the arguments, by the names of their variables. */
	private final Map<String, Integer> positions = new LinkedHashMap<>();

	/** The variables of the fencing token, which has no value before the lock. */
	private final List<String> tokens;

	/** Whether the names of the parameters are known. */
	private final boolean named;

	private SpelExpression expression;

	/** What the contexts of all calls have in common. */
	private final StandardEvaluationContext shared = new StandardEvaluationContext();

	/**
	 * Parse and check an expression.
	 * @param method the annotated method
	 * @param attribute the attribute of the annotation, {@code key} or {@code condition}
	 * @param text the expression, with placeholders resolved
	 * @param annotated the annotated method, {@code null} if the class is annotated: its
	 * names have precedence, because the author of the expression reads them there
	 * @param beanFactory resolves {@code @bean} references
	 */
	MethodExpression(LockedMethod method, String attribute, String text, @Nullable Method annotated,
			ConfigurableBeanFactory beanFactory) {
		this.method = method;
		this.attribute = attribute;
		this.text = text;
		Method specific = method.method();
		boolean annotatedNamed = annotated != null && addNames(annotated);
		this.named = addNames(specific) || annotatedNamed || specific.getParameterCount() == 0;
		for (int i = 0; i < specific.getParameterCount(); i++) {
			this.positions.putIfAbsent("a" + i, i);
			this.positions.putIfAbsent("p" + i, i);
		}
		Integer token = LockedMethod.tokenPosition(specific);
		this.tokens = this.positions.keySet()
			.stream()
			.filter((name) -> token.equals(this.positions.get(name)))
			.toList();
		this.positions.keySet().removeAll(this.tokens);
		this.expression = parse();
		check(this.expression.getAST(), true, true);
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

	private boolean addNames(Method method) {
		@Nullable String[] names = NAMES.getParameterNames(method);
		if (names == null) {
			return false;
		}
		for (int i = 0; i < names.length; i++) {
			String name = names[i];
			if (name != null) {
				this.positions.putIfAbsent(name, i);
			}
		}
		return true;
	}

	/**
	 * Find the common errors in a node and its children without evaluating them: an
	 * unknown variable, a text without quotes. The first call reports the others.
	 * @param node the node
	 * @param first whether the node is not part of a chain, or the first of one: true for
	 * {@code id}, false for {@code id} in {@code #order.id}
	 * @param root whether an unqualified name is a property of {@code #root}: false
	 * inside a selection, where it is a property of the element
	 */
	private void check(SpelNode node, boolean first, boolean root) {
		if (node instanceof VariableReference) {
			checkVariable(node.toStringAST().substring(1));
		}
		else if (first && root && node instanceof PropertyOrFieldReference property) {
			checkBareName(property.getName());
		}
		else if (node instanceof StringLiteral && isTemplate(node.toStringAST())) {
			throw refuse("has the text " + node.toStringAST() + ", in which nothing is replaced, so that it is "
					+ "the same for each call: write arguments outside of the quotes, as in 'order-' + #id");
		}
		boolean sameRoot = root && !(node instanceof Selection || node instanceof Projection
				|| node instanceof InlineMap || node instanceof Indexer);
		for (int i = 0; i < node.getChildCount(); i++) {
			check(node.getChild(i), !(node instanceof CompoundExpression) || i == 0, sameRoot);
		}
	}

	private void checkVariable(String name) {
		if (this.tokens.contains(name)) {
			throw refuse("uses #" + name + ", which is the @FencingToken of the lock, and has no value "
					+ "before it: use another parameter");
		}
		if (!name.equals("root") && !name.equals("this") && !this.positions.containsKey(name)) {
			throw refuse("uses #" + name + ", which does not exist: " + remedy());
		}
	}

	private boolean isTemplate(String literal) {
		return REFERENCE.matcher(literal)
			.results()
			.anyMatch((reference) -> reference.group(1) == null || this.positions.containsKey(reference.group(1)));
	}

	private void checkBareName(String name) {
		if (!Root.PROPERTIES.contains(name)) {
			throw refuse("has the bare word " + name + ": write "
					+ (this.positions.containsKey(name) ? "#" + name + " for the argument"
							: "the text in single quotes, and arguments with #, as in 'order-' + #id"));
		}
	}

	/**
	 * Describe what to write instead of an unknown variable.
	 */
	private String remedy() {
		if (this.positions.isEmpty()) {
			return "the method has no parameters";
		}
		String variables = "write one of #" + String.join(", #", this.positions.keySet());
		return this.named ? variables
				: "the class was compiled without parameter names: compile it with -parameters, or " + variables;
	}

	/** Whether a node is a parameter that is declared as a number. */
	boolean isNumber(SpelNode node) {
		Integer position = (node instanceof VariableReference) ? this.positions.get(node.toStringAST().substring(1))
				: null;
		return position != null && Number.class.isAssignableFrom(
				ClassUtils.resolvePrimitiveIfNecessary(this.method.method().getParameterTypes()[position]));
	}

	/** Check the values inside, and use this type converter instead of Spring's. */
	void checkWith(KeyConverter converter) {
		SpelNodeImpl checked = converter.guard((SpelNodeImpl) this.expression.getAST(), false, true);
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
			Integer position = MethodExpression.this.positions.get(name);
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
