package io.github.distlock.test;

import java.io.IOException;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.DistributedLocks;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/**
 * Selects the components that a {@link DistlockTest @DistlockTest} starts.
 */
final class DistlockTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<DistlockTest> {

	private final Set<Class<?>> components;

	DistlockTypeExcludeFilter(Class<?> testClass) {
		super(testClass);
		this.components = Set.of(getAnnotation().getValue("value", Class[].class).orElse(new Class<?>[0]));
	}

	@Override
	protected boolean defaultInclude(MetadataReader reader, MetadataReaderFactory readers) throws IOException {
		return super.defaultInclude(reader, readers)
				|| this.components.isEmpty() && hasLockedMethod(reader.getAnnotationMetadata(), readers);
	}

	@Override
	protected Set<Class<?>> getComponentIncludes() {
		return this.components;
	}

	/** A locked method may be inherited or declared by an interface. */
	private static boolean hasLockedMethod(AnnotationMetadata type, MetadataReaderFactory readers) {
		// Several annotations are in a container annotation.
		return Stream.of(DistributedLock.class, DistributedLocks.class)
			.map(Class::getName)
			.anyMatch((annotation) -> type.isAnnotated(annotation) || type.hasAnnotatedMethods(annotation))
				|| superTypes(type).anyMatch((name) -> hasLockedMethod(name, readers));
	}

	private static Stream<String> superTypes(AnnotationMetadata type) {
		return Stream.concat(Stream.ofNullable(type.getSuperClassName()), Arrays.stream(type.getInterfaceNames()))
			.filter((name) -> !name.startsWith("java."));
	}

	private static boolean hasLockedMethod(String type, MetadataReaderFactory readers) {
		try {
			return hasLockedMethod(readers.getMetadataReader(type).getAnnotationMetadata(), readers);
		}
		catch (IOException ex) {
			// An optional type that is not on the class path has no locked methods.
			return false;
		}
	}

}
