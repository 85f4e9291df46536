package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

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

	private volatile UnaryOperator<LockDefinitionException> report = UnaryOperator.identity();

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
		try {
			return findCached(method, type);
		}
		catch (LockDefinitionException ex) {
			throw this.report.apply(ex);
		}
	}

	/**
	 * Let calls of methods with invalid annotations fail with a report of all problems.
	 * @param report creates the report
	 */
	void reportWith(UnaryOperator<LockDefinitionException> report) {
		this.report = report;
	}

	private Optional<MethodLocks> findCached(Method method, Class<?> type) {
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
	 * @return the valid and the invalid definitions
	 */
	BeanLocks readAll(Class<?> beanClass) {
		List<LockDefinition> valid = new ArrayList<>();
		List<BeanLocks.Invalid> invalid = new ArrayList<>();
		MethodIntrospector
			.selectMethods(beanClass,
					(MethodIntrospector.MetadataLookup<LockAnnotation>) (
							method) -> LockAnnotationFinder.find(method, beanClass).stream().findFirst().orElse(null))
			.keySet()
			.forEach((method) -> read(method, beanClass, valid, invalid));
		return new BeanLocks(List.copyOf(valid), List.copyOf(invalid));
	}

	private void read(Method method, Class<?> beanClass, List<LockDefinition> valid, List<BeanLocks.Invalid> invalid) {
		try {
			findCached(method, beanClass).ifPresent((found) -> valid.addAll(found.locks()));
		}
		catch (LockDefinitionException ex) {
			List<LockAnnotation> annotations = LockAnnotationFinder.find(method, beanClass);
			List<LockDefinitionException> problems = annotations.stream()
				.flatMap((annotation) -> this.reader.problems(annotation).stream())
				.toList();
			invalid.add(new BeanLocks.Invalid(
					new BeanLocks.Declaration(annotations.get(0).method(), annotations.get(0).isOnClass()),
					problems.isEmpty() ? List.of(ex) : problems));
		}
	}

}
