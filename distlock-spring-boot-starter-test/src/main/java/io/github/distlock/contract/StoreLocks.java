package io.github.distlock.contract;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/**
 * Lets the tests of one contract class share its store, except those that need the
 * {@link WholeStore}.
 */
final class StoreLocks implements ResourceLocksProvider {

	@Override
	public Set<Lock> provideForMethod(List<Class<?>> enclosingInstanceTypes, Class<?> testClass, Method testMethod) {
		ResourceAccessMode mode = testMethod.isAnnotationPresent(WholeStore.class) ? ResourceAccessMode.READ_WRITE
				: ResourceAccessMode.READ;
		return Set.of(new Lock("store of " + testClass.getName(), mode));
	}

}
