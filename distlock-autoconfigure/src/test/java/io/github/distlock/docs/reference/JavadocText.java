package io.github.distlock.docs.reference;

import java.util.List;
import java.util.Map;

import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.EndElementTree;
import com.sun.source.doctree.EntityTree;
import com.sun.source.doctree.LinkTree;
import com.sun.source.doctree.LiteralTree;
import com.sun.source.doctree.StartElementTree;
import com.sun.source.doctree.TextTree;
import com.sun.source.util.SimpleDocTreeVisitor;

/**
 * Converts Javadoc to Markdown.
 */
final class JavadocText extends SimpleDocTreeVisitor<String, Void> {

	private static final Map<String, String> ENTITIES = Map.of("lt", "<", "gt", ">", "amp", "&", "nbsp", " ", "#64",
			"@");

	private static final Map<String, String> ELEMENTS = Map.of("p", "\0", "li", "\0- ", "ul", "\0", "code", "`", "em",
			"*", "strong", "**");

	private JavadocText() {
	}

	/**
	 * Convert a text.
	 * @param trees the parts of the text
	 * @return paragraphs, with an empty line between them
	 */
	static String of(List<? extends DocTree> trees) {
		JavadocText visitor = new JavadocText();
		StringBuilder text = new StringBuilder();
		trees.forEach((tree) -> text.append(visitor.visit(tree, null)));
		return text.toString().replaceAll("\\s+", " ").replaceAll(" ?\0 ?", "\n\n").strip();
	}

	@Override
	public String visitText(TextTree text, Void nothing) {
		return text.getBody();
	}

	@Override
	public String visitLiteral(LiteralTree literal, Void nothing) {
		String body = literal.getBody().getBody();
		return (literal.getKind() == DocTree.Kind.CODE) ? "`" + body + "`" : body;
	}

	@Override
	public String visitLink(LinkTree link, Void nothing) {
		String label = of(link.getLabel());
		if (!label.isEmpty()) {
			return label.startsWith("@") ? "`" + label + "`" : label;
		}
		// The attributes of an annotation are written without parentheses.
		String name = link.getReference()
			.getSignature()
			.replaceAll("(?<=^#\\w{1,30}|^DistributedLock#\\w{1,30})\\(.*\\)", "")
			.replaceAll("\\(.+\\)", "()");
		return "`" + name.replaceAll("^[a-z.]+\\.(?=[A-Z])", "").replaceAll("^#", "").replace('#', '.') + "`";
	}

	@Override
	public String visitStartElement(StartElementTree element, Void nothing) {
		return ELEMENTS.getOrDefault(element.getName().toString(), "");
	}

	@Override
	public String visitEndElement(EndElementTree element, Void nothing) {
		String name = element.getName().toString();
		return name.equals("li") || name.equals("p") ? "" : ELEMENTS.getOrDefault(name, "");
	}

	@Override
	public String visitEntity(EntityTree entity, Void nothing) {
		return ENTITIES.getOrDefault(entity.getName().toString(), entity.toString());
	}

	@Override
	protected String defaultAction(DocTree tree, Void nothing) {
		return tree.toString();
	}

}
