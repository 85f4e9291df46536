package io.github.distlock.aop;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Finds the common errors in an expression without evaluating it: an unknown variable or
 * bean, a text without quotes, the sum of two numbers. The first call reports the others.
 */
final class ExpressionValidator {

	private final MethodExpression expression;

	private final ExpressionParameters parameters;

	private final BeanFactory beanFactory;

	ExpressionValidator(MethodExpression expression, ExpressionParameters parameters, BeanFactory beanFactory) {
		this.expression = expression;
		this.parameters = parameters;
		this.beanFactory = beanFactory;
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
		if (node instanceof VariableReference) {
			checkVariable(node.toStringAST().substring(1));
		}
		else if (node instanceof BeanReference) {
			checkBean(node.toStringAST());
		}
		else if (node instanceof OpPlus && this.expression.isKey()) {
			checkSum(node);
		}
		else if (first && root) {
			checkBareName(node);
		}
		boolean sameRoot = root && !(node instanceof Selection || node instanceof Projection
				|| node instanceof InlineMap || node instanceof Indexer);
		for (int i = 0; i < node.getChildCount(); i++) {
			check(node.getChild(i), !(node instanceof CompoundExpression) || i == 0, sameRoot);
		}
	}

	private void checkVariable(String name) {
		if (this.parameters.isToken(name)) {
			throw this.expression.refuse("uses #" + name + ", which is the @FencingToken of the lock, and has no value "
					+ "before it: use another parameter");
		}
		if (!name.equals("root") && !name.equals("this") && this.parameters.position(name) == null) {
			throw this.expression.refuse("uses #" + name + ", which does not exist: " + this.parameters.remedy());
		}
	}

	private void checkBean(String reference) {
		String name = (reference.startsWith("@") ? reference.substring(1) : reference).replace("'", "");
		if (!this.beanFactory.containsBean(name)) {
			throw this.expression.refuse("uses the bean " + reference
					+ ", which does not exist: define it or write the name of one that exists");
		}
	}

	/** Other values with the same sum would have the same key. */
	private void checkSum(SpelNode plus) {
		if (plus.getChildCount() == 2 && isNumber(plus.getChild(0)) && isNumber(plus.getChild(1))) {
			String left = plus.getChild(0).toStringAST();
			String right = plus.getChild(1).toStringAST();
			throw this.expression.refuse("adds the numbers " + left + " and " + right
					+ ", so that calls with the same sum would share one lock: write a text between them, as in " + left
					+ " + '-' + " + right);
		}
	}

	private boolean isNumber(SpelNode node) {
		return node instanceof VariableReference && this.parameters.isNumber(node.toStringAST().substring(1));
	}

	private void checkBareName(SpelNode node) {
		if (node instanceof PropertyOrFieldReference property
				&& !MethodExpression.Root.PROPERTIES.contains(property.getName())) {
			String name = property.getName();
			throw this.expression.refuse("has the bare word " + name + ": write "
					+ ((this.parameters.position(name) != null) ? "#" + name + " for the argument"
							: "the text in single quotes, and arguments with #, as in 'order-' + #id"));
		}
		if (node instanceof MethodReference method) {
			throw this.expression.refuse("calls " + method.getName() + "() without a target: write @bean."
					+ method.getName() + "() or #root.target." + method.getName() + "()");
		}
	}

}
