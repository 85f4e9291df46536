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
				|| this.components.isEmpty() && isLocked(reader.getAnnotationMetadata(), readers);
	}

	@Override
	protected Set<Class<?>> getComponentIncludes() {
		return this.components;
	}

	/** A locked method may be inherited, or be that of an interface. */
	private static boolean isLocked(AnnotationMetadata type, MetadataReaderFactory readers) {
		// Several are in a container.
		return Stream.of(DistributedLock.class, DistributedLocks.class)
			.map(Class::getName)
			.anyMatch((annotation) -> type.isAnnotated(annotation) || type.hasAnnotatedMethods(annotation))
				|| superTypes(type).anyMatch((name) -> isLocked(name, readers));
	}

	private static Stream<String> superTypes(AnnotationMetadata type) {
		return Stream.concat(Stream.ofNullable(type.getSuperClassName()), Arrays.stream(type.getInterfaceNames()))
			.filter((name) -> !name.startsWith("java."));
	}

	private static boolean isLocked(String type, MetadataReaderFactory readers) {
		try {
			return isLocked(readers.getMetadataReader(type).getAnnotationMetadata(), readers);
		}
		catch (IOException ex) {
			// An optional type that is not on the class path has no locked methods.
			return false;
		}
	}

}
