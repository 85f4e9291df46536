package io.github.distlock.api;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.contract.StoreUnderTest;
import io.github.distlock.integration.IntegrationLockRegistry;
import io.github.distlock.registry.CompositeLockRegistry;

import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.util.ClassUtils;

/**
 * The types that users compile against, or name in their configuration.
 */
final class PublishedTypes {

	private static final String ROOT = "io.github.distlock";

	/** Of another module, whose sources are compiled with the tests of this one. */
	private static final String SLICE = ROOT + ".test";

	/** Packages of which each public type is API. */
	private static final List<String> PACKAGES = List.of("", ".backend", ".test", ".observation");

	/** Of the observations, the door of the library itself is not API. */
	private static final List<String> INTERNAL = List.of(ROOT + ".observation.LockObservation",
			ROOT + ".observation.LockObserver", ROOT + ".observation.LockObservers", ROOT + ".observation.LockedWork",
			ROOT + ".observation.LockedWork$ObservedWork");

	private PublishedTypes() {
	}

	/** Return the types of which users see all public and protected members. */
	static List<Class<?>> api() {
		List<Class<?>> types = new ArrayList<>(
				List.of(CompositeLockRegistry.class, IntegrationLockRegistry.class, StoreUnderTest.class));
		PACKAGES.forEach((name) -> types.addAll(publicTypes(ROOT + name)));
		types.removeIf((type) -> INTERNAL.contains(type.getName()));
		return withNested(types);
	}

	/** Return the records that the endpoint answers as JSON. */
	static List<Class<?>> answers() {
		return withNested(publicTypes(ROOT + ".actuate")).stream()
			.filter((type) -> type.getSimpleName().endsWith("Descriptor"))
			.toList();
	}

	/** Return the names that users write into {@code spring.autoconfigure.exclude}. */
	static List<String> autoConfigurations() {
		return ImportCandidates.load(AutoConfiguration.class, null)
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith(ROOT))
			.toList();
	}

	private static List<Class<?>> publicTypes(String name) {
		try {
			Resource[] files = new PathMatchingResourcePatternResolver()
				.getResources("classpath*:" + ClassUtils.convertClassNameToResourcePath(name) + "/*.class");
			return Stream.of(files)
				.filter((file) -> name.equals(SLICE) || !file.getDescription().contains("test-classes"))
				.map((file) -> String.valueOf(file.getFilename()).replace(".class", ""))
				.filter((type) -> !type.contains("$") && !type.equals("package-info"))
				.<Class<?>>map((type) -> ClassUtils.resolveClassName(name + "." + type, null))
				.filter((type) -> Modifier.isPublic(type.getModifiers()))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<Class<?>> withNested(List<Class<?>> types) {
		List<Class<?>> all = new ArrayList<>(types);
		for (Class<?> type : types) {
			List<Class<?>> nested = Stream.of(type.getDeclaredClasses()).filter(PublicSignatures::isVisible).toList();
			all.addAll(withNested(nested));
		}
		return all;
	}

}
