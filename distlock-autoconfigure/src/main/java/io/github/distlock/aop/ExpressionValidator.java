package io.github.distlock.aop;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Finds the common errors in an expression without evaluating it: an unknown variable, a
 * text without quotes. The first call reports the others.
 */
final class ExpressionValidator {

	private final MethodExpression expression;

	private final ExpressionParameters parameters;

	ExpressionValidator(MethodExpression expression, ExpressionParameters parameters) {
		this.expression = expression;
		this.parameters = parameters;
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
		else if (first && root && node instanceof PropertyOrFieldReference property) {
			checkBareName(property.getName());
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

	private void checkBareName(String name) {
		if (!MethodExpression.Root.PROPERTIES.contains(name)) {
			throw this.expression.refuse("has the bare word " + name + ": write "
					+ ((this.parameters.position(name) != null) ? "#" + name + " for the argument"
							: "the text in single quotes, and arguments with #, as in 'order-' + #id"));
		}
	}

}
