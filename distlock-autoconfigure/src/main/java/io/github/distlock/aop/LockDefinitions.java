package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;

/**
 * All definitions that were read: each once.
 */
final class LockDefinitions {

	private final Map<MethodClassKey, Optional<LockDefinition>> known = new ConcurrentHashMap<>();

	private final LockDefinitionReader reader;

	LockDefinitions(LockDefinitionReader reader) {
		this.reader = reader;
	}

	/**
	 * Find the definition of a method.
	 * @param method the method as it is called
	 * @param type the class of the object that is called
	 * @return the definition, nothing if the method is not to be locked
	 * @throws io.github.distlock.LockDefinitionException if it cannot work
	 */
	Optional<LockDefinition> find(Method method, Class<?> type) {
		MethodClassKey key = new MethodClassKey(method, type);
		Optional<LockDefinition> definition = this.known.get(key);
		if (definition == null) {
			definition = LockAnnotation.find(method, type).map(this.reader::read);
			this.known.put(key, definition);
		}
		return definition;
	}

	/**
	 * Find the definitions of all methods of a bean class, private ones included.
	 * @param beanClass the class
	 * @return the definitions
	 */
	Collection<LockDefinition> all(Class<?> beanClass) {
		return MethodIntrospector
			.selectMethods(beanClass,
					(MethodIntrospector.MetadataLookup<LockDefinition>) (method) -> find(method, beanClass)
						.orElse(null))
			.values();
	}

}
