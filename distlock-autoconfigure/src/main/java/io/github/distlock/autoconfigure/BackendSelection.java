package io.github.distlock.autoconfigure;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The backends that the properties select. Read from the environment, before there are
 * beans.
 *
 * @param byDefault backend of the registry that is injected without a qualifier, unless
 * the application defines a backend of its own
 * @param composite members of {@code distlock.composite}
 * @param added backends that {@code distlock.<backend>.enabled} or
 * {@code distlock.composite} enables
 */
record BackendSelection(Backend byDefault, List<String> composite, Set<Backend> added) {

	static BackendSelection of(Environment environment) {
		Binder binder = Binder.get(environment);
		List<String> composite = binder.bind("distlock.composite", Bindable.listOf(String.class)).orElse(List.of());
		Set<Backend> added = Arrays.stream(Backend.values())
			.filter((backend) -> composite.contains(backend.id())
					|| binder.bind("distlock." + backend.id() + ".enabled", Boolean.class).orElse(false))
			.collect(Collectors.toSet());
		return new BackendSelection(binder.bind("distlock.backend", Backend.class).orElse(Backend.REDIS), composite,
				added);
	}

	/**
	 * Return the enabled backends.
	 * @param withDefault whether to include the default backend
	 */
	List<Backend> enabled(boolean withDefault) {
		return Arrays.stream(Backend.values())
			.filter((backend) -> backend != Backend.COMPOSITE)
			.filter((backend) -> this.added.contains(backend) || withDefault && backend == this.byDefault)
			.toList();
	}

	/** Return the same text for properties that select the same backends. */
	String text() {
		return this.byDefault.id() + ", with the composite " + this.composite + " and the stores " + enabled(true);
	}

	/** Return whether there is a registry over two stores. */
	boolean hasComposite() {
		return this.byDefault == Backend.COMPOSITE || !this.composite.isEmpty();
	}

	/**
	 * Reject a composite that cannot work.
	 * @param enabled names of the enabled backends, including those of the application
	 */
	void checkComposite(Set<String> enabled) {
		boolean valid = this.composite.size() == 2 && new HashSet<>(this.composite).size() == 2
				&& enabled.containsAll(this.composite) && !this.composite.contains(Backend.TRANSACTION.id());
		PropertyChecks.check(valid, "distlock.composite", String.join(",", this.composite),
				"it must name two different backends",
				"For example: redis, zookeeper. A LockBackend bean counts, too, and transaction does not");
	}

}
