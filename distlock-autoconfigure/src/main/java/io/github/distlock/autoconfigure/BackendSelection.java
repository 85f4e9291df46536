package io.github.distlock.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The backends that the properties select. Read from the environment, before there are
 * beans.
 *
 * @param named value of {@code distlock.backend}, if it is set
 * @param composite members of {@code distlock.composite}
 * @param switchedOn backends with {@code distlock.<backend>.enabled=true}
 */
record BackendSelection(@Nullable Backend named, List<String> composite, Set<Backend> switchedOn) {

	static BackendSelection of(Environment environment) {
		Binder binder = Binder.get(environment);
		Set<Backend> switchedOn = Arrays.stream(Backend.values())
			.filter((backend) -> binder.bind("distlock." + backend.id() + ".enabled", Boolean.class).orElse(false))
			.collect(Collectors.toUnmodifiableSet());
		return new BackendSelection(binder.bind("distlock.backend", Backend.class).orElse(null),
				binder.bind("distlock.composite", Bindable.listOf(String.class)).orElse(List.of()), switchedOn);
	}

	/**
	 * Return the backend of the registry that is injected without a qualifier, unless the
	 * application defines its own.
	 */
	Backend byDefault() {
		return (this.named != null) ? this.named : Backend.REDIS;
	}

	/**
	 * Return why a backend is enabled, whatever backends the application defines.
	 * @return the reason, or {@code null} if no property other than
	 * {@code distlock.backend} enables it
	 */
	@Nullable String reason(Backend backend) {
		if (this.switchedOn.contains(backend)) {
			return "distlock." + backend.id() + ".enabled is true";
		}
		return this.composite.contains(backend.id()) ? "distlock.composite names it" : null;
	}

	/**
	 * Return the enabled backends.
	 * @param withDefault whether to include the default backend
	 */
	List<Backend> enabled(boolean withDefault) {
		return Arrays.stream(Backend.values())
			.filter((backend) -> backend != Backend.COMPOSITE)
			.filter((backend) -> reason(backend) != null || withDefault && backend == byDefault())
			.toList();
	}

	/**
	 * Reject a composite that cannot work.
	 * @param enabled names of the enabled backends, including those of the application
	 */
	void checkComposite(Set<String> enabled) {
		String problem = null;
		if (this.composite.isEmpty()) {
			problem = (this.named == Backend.COMPOSITE) ? "it is empty, but distlock.backend is 'composite'" : null;
		}
		else if (this.composite.size() != 2 || this.composite.get(0).equals(this.composite.get(1))) {
			problem = "it must name two different backends";
		}
		else if (!enabled.containsAll(this.composite)) {
			String unknown = this.composite.get(enabled.contains(this.composite.get(0)) ? 1 : 0);
			problem = "there is no backend '" + unknown + "'";
		}
		if (problem != null) {
			throw new InvalidPropertyException("distlock.composite", String.join(",", this.composite), problem,
					"Name two of these: " + Stream
						.concat(Stream.of(Backend.values())
							.filter((backend) -> backend != Backend.COMPOSITE)
							.map(Backend::id), enabled.stream())
						.distinct()
						.collect(Collectors.joining(", ")) + ". For example: redis, zookeeper");
		}
	}

}
