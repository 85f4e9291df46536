package io.github.distlock.aop;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;

/**
 * Finds errors in an expression without evaluating it.
 */
final class ExpressionValidator {

	private final MethodExpression.Source source;

	private final ExpressionParameters parameters;

	private final BeanFactory beanFactory;

	private final TypeLocator types;

	private final KnownProperties properties = new KnownProperties();

	ExpressionValidator(MethodExpression.Source source, ExpressionParameters parameters, BeanFactory beanFactory,
			TypeLocator types) {
		this.source = source;
		this.parameters = parameters;
		this.beanFactory = beanFactory;
		this.types = types;
	}

	void check(SpelNode tree) {
		check(tree, true, true);
	}

	/**
	 * Check a node and its children.
	 * @param node the node
	 * @param first whether the node is not part of a chain, or the first of one: true for
	 * {@code id}, false for {@code id} in {@code #order.id}
	 * @param root whether an unqualified name is a property of {@code #root}: false
	 * inside a selection, where it is a property of the element
	 */
	private void check(SpelNode node, boolean first, boolean root) {
		checkReferences(node);
		if (first && root) {
			checkBareName(node);
		}
		if (node instanceof CompoundExpression) {
			checkProperties(node);
		}
		if (node instanceof OpPlus && this.source.attribute().equals("key")) {
			checkSum(node);
		}
		boolean sameRoot = root && !(node instanceof Selection || node instanceof Projection
				|| node instanceof InlineMap || node instanceof Indexer);
		for (int i = 0; i < node.getChildCount(); i++) {
			check(node.getChild(i), !(node instanceof CompoundExpression) || i == 0, sameRoot);
		}
	}

	private void checkReferences(SpelNode node) {
		if (node instanceof VariableReference) {
			checkVariable(node.toStringAST().substring(1));
		}
		else if (node instanceof FunctionReference) {
			throw this.source.refuse("calls the function " + node.toStringAST()
					+ ", but there are no functions: call a method of a bean, as in @bean.method(#id), or of a class, "
					+ "as in T(com.example.Type).method(#id)");
		}
		else if (node instanceof BeanReference) {
			checkBean(node.toStringAST());
		}
		else if (node instanceof TypeReference) {
			checkType(node.getChild(0).toStringAST());
		}
		else if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
			throw this.source.refuse("changes a value (" + node.toStringAST()
					+ "): an expression only reads; compare with == and add with +");
		}
	}

	private void checkVariable(String name) {
		if (this.parameters.isToken(name)) {
			throw this.source.refuse("uses #" + name + ", which is the @FencingToken of the lock, and has no value "
					+ "before it: use another parameter");
		}
		if (name.equals("root") && this.parameters.position(name) != null) {
			throw this.source.refuse("uses #root, which stands for the call and hides the parameter of that name: "
					+ "write #a" + this.parameters.position(name) + " for the argument, or rename the parameter");
		}
		if (!name.equals("root") && !name.equals("this") && this.parameters.position(name) == null) {
			throw this.source.refuse("uses #" + name + ", which does not exist: " + this.parameters.remedy());
		}
	}

	/**
	 * Check the properties of an argument as far as their types are the same for each
	 * call.
	 */
	private void checkProperties(SpelNode compound) {
		if (!(compound.getChild(0) instanceof VariableReference variable)) {
			return;
		}
		Class<?> type = this.parameters.type(variable.toStringAST().substring(1));
		for (int i = 1; i < compound.getChildCount() && type != null && KnownProperties.areKnown(type); i++) {
			if (!(compound.getChild(i) instanceof PropertyOrFieldReference property)) {
				return;
			}
			Class<?> found = this.properties.find(type, property.getName());
			if (found == null) {
				throw this.source.refuse("uses the property " + property.getName() + ", which " + type.getName()
						+ " does not have: write one of its properties, or call a method of it with ()");
			}
			type = found;
		}
	}

	/** Other values with the same sum would have the same key. */
	private void checkSum(SpelNode plus) {
		if (plus.getChildCount() == 2 && isNumber(plus.getChild(0)) && isNumber(plus.getChild(1))) {
			String left = plus.getChild(0).toStringAST();
			String right = plus.getChild(1).toStringAST();
			throw this.source.refuse("adds the numbers " + left + " and " + right
					+ ", so that calls with the same sum would share one lock: write a text between them, as in " + left
					+ " + '-' + " + right);
		}
	}

	private boolean isNumber(SpelNode node) {
		Class<?> type = (node instanceof VariableReference) ? this.parameters.type(node.toStringAST().substring(1))
				: null;
		return type != null && Number.class.isAssignableFrom(ClassUtils.resolvePrimitiveIfNecessary(type));
	}

	private void checkBean(String reference) {
		String name = (reference.startsWith("@") ? reference.substring(1) : reference).replace("'", "");
		if (!this.beanFactory.containsBean(name)) {
			throw this.source.refuse("uses the bean " + reference
					+ ", which does not exist: define it or write the name of one that exists");
		}
	}

	private void checkType(String name) {
		try {
			// A lower-case name without a package is a primitive type.
			if (name.contains(".") || Character.isUpperCase(name.charAt(0))) {
				this.types.findType(name);
			}
		}
		catch (EvaluationException ex) {
			throw this.source.refuse("uses T(" + name + "), which is not on the class path: write the full class name",
					ex);
		}
	}

	private String remedy(String name) {
		if (this.parameters.position(name) != null) {
			return "write #" + name + " for the argument";
		}
		String expression = ExpressionSuggestion.of(this.source.text());
		if (expression == null) {
			return "write '" + name + "' in quotes for a text";
		}
		return expression.contains("#") ? "write " + expression : "write " + expression + " in quotes for a text";
	}

	private void checkBareName(SpelNode node) {
		if (node instanceof PropertyOrFieldReference property
				&& !MethodEvaluationContext.Root.PROPERTIES.contains(property.getName())) {
			String name = property.getName();
			throw this.source.refuse("has the bare word " + name + ": " + remedy(name));
		}
		if (node instanceof MethodReference method) {
			throw this.source.refuse("calls " + method.getName() + "() without a target: write @bean."
					+ method.getName() + "() or #root.target." + method.getName() + "()");
		}
	}

}
