package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * The variables of an expression for the arguments of the call: {@code #a0} and
 * {@code #p0} by position, and the names of the parameters if the class file contains
 * them.
 */
final class ExpressionParameters {

	private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

	/** What would be a variable or a part of a template outside of a literal. */
	private static final Pattern REFERENCE = Pattern.compile("#(?:\\{|root\\b|(\\p{javaJavaIdentifierPart}+))");

	private final Map<String, Integer> positions = new LinkedHashMap<>();

	/** The variables of the fencing token, which has no value before the lock. */
	private final List<String> tokens;

	private final boolean named;

	/**
	 * Read the names.
	 * @param annotated the annotated method, {@code null} if the class is annotated: its
	 * names have precedence, because the author of the expression reads them there
	 * @param specific the method that is called
	 */
	ExpressionParameters(@Nullable Method annotated, Method specific) {
		boolean annotatedNamed = annotated != null && addNames(annotated);
		this.named = addNames(specific) || annotatedNamed || specific.getParameterCount() == 0;
		for (int i = 0; i < specific.getParameterCount(); i++) {
			this.positions.putIfAbsent("a" + i, i);
			this.positions.putIfAbsent("p" + i, i);
		}
		Integer token = LockedMethod.tokenPosition(specific);
		this.tokens = this.positions.keySet().stream().filter((name) -> token.equals(position(name))).toList();
		this.positions.keySet().removeAll(this.tokens);
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

	@Nullable Integer position(String variable) {
		return this.positions.get(variable);
	}

	/**
	 * Find the common errors in an expression without evaluating it: an unknown variable,
	 * a text without quotes. The first call reports the others.
	 */
	void check(MethodExpression expression) {
		check(expression, expression.tree(), true, true);
	}

	/**
	 * Check a node and its children.
	 * @param expression the expression
	 * @param node the node
	 * @param first whether the node is not part of a chain, or the first of one: true for
	 * {@code id}, false for {@code id} in {@code #order.id}
	 * @param root whether an unqualified name is a property of {@code #root}: false
	 * inside a selection, where it is a property of the element
	 */
	private void check(MethodExpression expression, SpelNode node, boolean first, boolean root) {
		if (node instanceof VariableReference) {
			checkVariable(expression, node.toStringAST().substring(1));
		}
		else if (first && root && node instanceof PropertyOrFieldReference property) {
			checkBareName(expression, property.getName());
		}
		else if (node instanceof StringLiteral && isTemplate(node.toStringAST())) {
			throw expression
				.refuse("has the text " + node.toStringAST() + ", in which nothing is replaced, so that it is "
						+ "the same for each call: write arguments outside of the quotes, as in 'order-' + #id");
		}
		boolean sameRoot = root && !(node instanceof Selection || node instanceof Projection
				|| node instanceof InlineMap || node instanceof Indexer);
		for (int i = 0; i < node.getChildCount(); i++) {
			check(expression, node.getChild(i), !(node instanceof CompoundExpression) || i == 0, sameRoot);
		}
	}

	private void checkVariable(MethodExpression expression, String name) {
		if (this.tokens.contains(name)) {
			throw expression.refuse("uses #" + name + ", which is the @FencingToken of the lock, and has no value "
					+ "before it: use another parameter");
		}
		if (!name.equals("root") && !name.equals("this") && position(name) == null) {
			throw expression.refuse("uses #" + name + ", which does not exist: " + remedy());
		}
	}

	private boolean isTemplate(String literal) {
		return REFERENCE.matcher(literal)
			.results()
			.anyMatch((reference) -> reference.group(1) == null || position(reference.group(1)) != null);
	}

	private void checkBareName(MethodExpression expression, String name) {
		if (!MethodExpression.Root.PROPERTIES.contains(name)) {
			throw expression.refuse("has the bare word " + name + ": write "
					+ ((position(name) != null) ? "#" + name + " for the argument"
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

}
