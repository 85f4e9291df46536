package io.github.distlock.docs.reference;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.List;

/**
 * The attributes of the annotations.
 */
record AnnotationSection(SourceDocs docs) {

	void write(Markdown page, List<Class<?>> annotations) {
		page.add("## Annotations");
		for (Class<?> annotation : annotations) {
			page.add("### " + Markdown.code("@" + annotation.getSimpleName()));
			page.add(Markdown.code(annotation.getName()));
			page.add(this.docs.of(annotation));
			// Reflection knows no order, the source does.
			List<Method> attributes = this.docs.members(annotation)
				.stream()
				.map((name) -> attribute(annotation, name))
				.toList();
			if (!attributes.isEmpty()) {
				page.table("Attribute", "Type", "Default", "Description");
				attributes.forEach((attribute) -> page.row(Markdown.code(attribute.getName()),
						Markdown.code(attribute.getReturnType().getSimpleName()), defaultOf(attribute),
						this.docs.of(annotation, attribute.getName())));
				page.end();
			}
		}
	}

	private static Method attribute(Class<?> annotation, String name) {
		try {
			return annotation.getDeclaredMethod(name);
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String defaultOf(Method attribute) {
		Object value = attribute.getDefaultValue();
		if (value == null) {
			return "required";
		}
		if (value.getClass().isArray()) {
			return (Array.getLength(value) == 0) ? Markdown.code("{}") : value.toString();
		}
		return Markdown.code((value instanceof String) ? "\"" + value + "\"" : value);
	}

}
