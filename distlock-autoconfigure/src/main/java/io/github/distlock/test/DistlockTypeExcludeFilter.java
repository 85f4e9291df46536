package io.github.distlock.test;

import java.io.IOException;
import java.util.Set;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.DistributedLocks;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/**
 * Which components a {@link DistlockTest @DistlockTest} starts.
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
				|| this.components.isEmpty() && isLocked(reader.getAnnotationMetadata());
	}

	@Override
	protected Set<Class<?>> getComponentIncludes() {
		return this.components;
	}

	private static boolean isLocked(AnnotationMetadata type) {
		// Several are in a container.
		return Stream.of(DistributedLock.class, DistributedLocks.class)
			.map(Class::getName)
			.anyMatch((annotation) -> type.isAnnotated(annotation) || type.hasAnnotatedMethods(annotation));
	}

}
