package io.github.distlock.docs.reference;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.distlock.LockException;
import io.github.distlock.LockListener;
import io.github.distlock.LossCause;

/**
 * Exceptions, events and enumerations.
 */
record ApiSection(SourceDocs docs) {

	void writeExceptions(Markdown page, List<Class<?>> exceptions, List<Class<?>> failures) {
		page.add("## Exceptions");
		page.add(this.docs.of(LockException.class));
		page.table("Exception", "Meaning and reaction");
		exceptions.forEach((type) -> page.row(Markdown.code(type.getSimpleName()), this.docs.of(type)));
		page.end();
		page.add("### Why a lock was lost");
		page.add(this.docs.of(LossCause.class)
				+ " `LockLostException.lossCause()` and the event `onLost` contain the cause.");
		page.table("`LossCause`", "In messages", "Description", "What to do");
		for (LossCause cause : LossCause.values()) {
			page.row(Markdown.code(cause.name()), cause.description(), this.docs.of(cause), cause.remedy() + ".");
		}
		page.end();
		page.add("### Failures of the startup");
		page.add("""
				The application does not start, and Spring Boot's failure analysis shows description and action.
				The names are those in the log; the classes are not part of the API.""");
		page.table("Failure", "Description");
		failures.forEach((type) -> page.row(Markdown.code(type.getSimpleName()), this.docs.of(type)));
		page.end();
	}

	void writeEvents(Markdown page) {
		page.add("## Events of locks");
		page.add(this.docs.of(LockListener.class));
		page.add("distlock publishes no `ApplicationEvent` of its own; a listener bean can publish the ones that "
				+ "an application needs.");
		page.table("Method", "Event", "Description");
		Set<Class<?>> events = new LinkedHashSet<>();
		for (String name : this.docs.members(LockListener.class)) {
			Class<?> event = Arrays.stream(LockListener.class.getDeclaredMethods())
				.filter((method) -> method.getName().equals(name))
				.findFirst()
				.orElseThrow()
				.getParameterTypes()[0];
			events.add(event);
			page.row(Markdown.code(name), Markdown.code(event.getSimpleName()), this.docs.of(LockListener.class, name));
		}
		page.end();
		page.table("Event", "Component", "Type", "Description");
		for (Class<?> event : events) {
			for (RecordComponent component : event.getRecordComponents()) {
				page.row(Markdown.code(event.getSimpleName()), Markdown.code(component.getName()),
						Markdown.code(component.getType().getSimpleName()),
						capital(this.docs.component(event, component.getName())));
			}
		}
		page.end();
	}

	void writeTypes(Markdown page, List<Class<?>> types) {
		page.add("## Programming interface");
		page.add("The Javadoc of the types describes their methods.");
		page.table("Type", "Description");
		types.forEach(
				(type) -> page.row(Markdown.code(type.getSimpleName()), SourceDocs.firstSentence(this.docs.of(type))));
		page.end();
	}

	void writeEnums(Markdown page, List<Class<? extends Enum<?>>> types) {
		page.add("## Enumerations");
		for (Class<? extends Enum<?>> type : types) {
			page.add("### " + Markdown.code(type.getSimpleName()));
			page.add(this.docs.of(type));
			page.table("Constant", "Description");
			for (Enum<?> constant : type.getEnumConstants()) {
				page.row(Markdown.code(constant.name()), this.docs.of(constant));
			}
			page.end();
		}
	}

	private static String capital(String text) {
		return Character.toUpperCase(text.charAt(0)) + text.substring(1);
	}

	static String names(List<Class<?>> types) {
		return types.stream().map(Class::getSimpleName).collect(Collectors.joining(", "));
	}

}
