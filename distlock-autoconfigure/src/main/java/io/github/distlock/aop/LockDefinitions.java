package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.github.distlock.LockDefinitionException;

import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;

/**
 * Finds and caches the definitions of methods.
 */
final class LockDefinitions {

	private final Map<MethodClassKey, Optional<MethodLocks>> cached = new ConcurrentHashMap<>();

	/** A method may be called through its class and through several interfaces. */
	private final Map<LockedMethod, MethodLocks> byMethod = new ConcurrentHashMap<>();

	private final LockDefinitionReader reader;

	private final Supplier<Duration> waitTime;

	private final CallObservations observations;

	LockDefinitions(LockDefinitionReader reader, Supplier<Duration> waitTime, CallObservations observations) {
		this.reader = reader;
		this.waitTime = waitTime;
		this.observations = observations;
	}

	/**
	 * Find the definitions of a method.
	 * @param method the method that is called
	 * @param type the class of the object that is called
	 * @return the definitions, empty if no annotation applies to the method
	 * @throws io.github.distlock.LockDefinitionException if an annotation is invalid
	 */
	Optional<MethodLocks> find(Method method, Class<?> type) {
		MethodClassKey key = new MethodClassKey(method, type);
		Optional<MethodLocks> locks = this.cached.get(key);
		if (locks == null) {
			locks = read(LockAnnotationFinder.find(method, type));
			this.cached.put(key, locks);
		}
		return locks;
	}

	private Optional<MethodLocks> read(List<LockAnnotation> annotations) {
		if (annotations.isEmpty()) {
			return Optional.empty();
		}
		LockedMethod method = annotations.get(0).method();
		MethodLocks locks = this.byMethod.get(method);
		if (locks == null) {
			List<LockDefinition> definitions = annotations.stream().map(this.reader::read).toList();
			locks = new MethodLocks(definitions, FencingTokenParameter.check(method, definitions.size()), this.waitTime,
					this.observations);
			this.byMethod.put(method, locks);
		}
		return Optional.of(locks);
	}

	/** Return the definitions of the methods that have been read. */
	List<LockDefinition> known() {
		return this.byMethod.values().stream().flatMap((locks) -> locks.locks().stream()).toList();
	}

	/**
	 * Read the definitions of all methods of a bean class, including private methods.
	 * @param beanClass the class
	 * @return the annotated methods
	 */
	List<LockDeclaration> readAll(Class<?> beanClass) {
		return MethodIntrospector
			.selectMethods(beanClass,
					(MethodIntrospector.MetadataLookup<LockAnnotation>) (
							method) -> LockAnnotationFinder.find(method, beanClass).stream().findFirst().orElse(null))
			.entrySet()
			.stream()
			.map((entry) -> read(entry.getKey(), entry.getValue()))
			.toList();
	}

	private LockDeclaration read(Method method, LockAnnotation annotation) {
		LockedMethod locked = annotation.method();
		try {
			List<LockDefinition> locks = find(method, locked.beanClass()).map(MethodLocks::locks).orElse(List.of());
			return new LockDeclaration(locked, annotation.isOnClass(), locks, null);
		}
		catch (LockDefinitionException ex) {
			return new LockDeclaration(locked, annotation.isOnClass(), List.of(), ex);
		}
	}

}
