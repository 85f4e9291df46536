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
 * What the properties say about stores, before there are beans.
 *
 * @param named what {@code distlock.backend} names, if it is set
 * @param composite the members of {@code distlock.composite}
 * @param switchedOn the stores with {@code distlock.<store>.enabled=true}
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

	/** The one that plain injection gives unless the application has its own. */
	Backend byDefault() {
		return (this.named != null) ? this.named : Backend.REDIS;
	}

	/**
	 * Why a store is enabled, whatever stores the application brings.
	 * @return the property, or {@code null} if none enables it
	 */
	@Nullable String reason(Backend backend) {
		if (this.switchedOn.contains(backend)) {
			return "distlock." + backend.id() + ".enabled is true";
		}
		return this.composite.contains(backend.id()) ? "distlock.composite names it" : null;
	}

	/**
	 * The stores that are enabled.
	 * @param withDefault whether the default one is among them
	 */
	List<Backend> enabled(boolean withDefault) {
		return Arrays.stream(Backend.values())
			.filter((backend) -> backend != Backend.COMPOSITE)
			.filter((backend) -> reason(backend) != null || withDefault && backend == byDefault())
			.toList();
	}

	/**
	 * Refuse a composite that cannot work.
	 * @param known names of the stores that are enabled, those of the application too
	 */
	void checkComposite(Set<String> known) {
		String value = String.join(",", this.composite);
		String remedy = "Name two different ones of: " + Stream
			.concat(Stream.of(Backend.values()).filter((backend) -> backend != Backend.COMPOSITE).map(Backend::id),
					known.stream())
			.distinct()
			.collect(Collectors.joining(", ")) + ". For example: redis, zookeeper";
		if (this.composite.isEmpty() && this.named == Backend.COMPOSITE) {
			throw new InvalidPropertyException("distlock.composite", value,
					"it says nothing, but distlock.backend is 'composite'", remedy);
		}
		if (!this.composite.isEmpty() && (this.composite.size() != 2 || Set.copyOf(this.composite).size() != 2)) {
			throw new InvalidPropertyException("distlock.composite", value, "it must name two different stores",
					remedy);
		}
		this.composite.stream().filter((store) -> !known.contains(store)).findFirst().ifPresent((store) -> {
			throw new InvalidPropertyException("distlock.composite", value, "there is no store '" + store + "'",
					remedy);
		});
	}

}
