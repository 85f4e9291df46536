package io.github.distlock.test.audit;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.DistributedLocks;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The shapes of keys.
 *
 * @param shapes of the keys of all annotations, the literal parts of each expression, and
 * {@code *} for the rest
 */
record KeyShapes(Set<String> shapes) {

	/** The shape that has no literal part. */
	private static final String ANY = "*";

	static KeyShapes of(ConfigurableListableBeanFactory beans) {
		SpelExpressionParser parser = new SpelExpressionParser();
		return new KeyShapes(Stream.of(beans.getBeanDefinitionNames())
			.flatMap((name) -> Stream.ofNullable(beans.getType(name, false)))
			.map(ClassUtils::getUserClass)
			.filter(CodePlaces::isOwn)
			.flatMap(
					(type) -> Stream.concat(Stream.of(type), Stream.of(ReflectionUtils.getUniqueDeclaredMethods(type))))
			.flatMap((element) -> AnnotatedElementUtils
				.findMergedRepeatableAnnotations(element, DistributedLock.class, DistributedLocks.class)
				.stream())
			.flatMap((annotation) -> Stream.ofNullable(beans.resolveEmbeddedValue(annotation.key())))
			.filter((key) -> !key.isBlank())
			.flatMap((key) -> shapes(parser.parseRaw(key).getAST()).stream())
			.collect(Collectors.toSet()));
	}

	/**
	 * Return the shape of a key: the known one that it matches with most literal text,
	 * else the key itself.
	 * @param annotated whether an annotation has this key, and not code
	 */
	String of(String key, boolean annotated) {
		return this.shapes.stream()
			.filter((shape) -> annotated || !shape.equals(ANY))
			.filter((shape) -> key.matches("\\Q" + shape.replace(ANY, "\\E.*\\Q") + "\\E"))
			.max(Comparator.comparingInt(String::length))
			.orElse(key);
	}

	private static List<String> shapes(SpelNode node) {
		if (node instanceof Literal literal) {
			return List.of(String.valueOf(literal.getLiteralValue().getValue()));
		}
		if (node instanceof OpPlus && node.getChildCount() == 2) {
			return shapes(node.getChild(0)).stream()
				.flatMap((left) -> shapes(node.getChild(1)).stream().map((right) -> (left + right).replace("**", ANY)))
				.toList();
		}
		if (node instanceof InlineList || node instanceof Elvis || node instanceof Ternary) {
			return IntStream.range((node instanceof Ternary) ? 1 : 0, node.getChildCount())
				.mapToObj(node::getChild)
				.flatMap((child) -> shapes(child).stream())
				.toList();
		}
		if (node instanceof CompoundExpression && node.getChild(node.getChildCount() - 1) instanceof Projection each) {
			return shapes(each.getChild(0));
		}
		return List.of(ANY);
	}

}
