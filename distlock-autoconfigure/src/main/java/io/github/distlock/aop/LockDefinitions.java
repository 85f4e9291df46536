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
 * All definitions that were read: each once.
 */
final class LockDefinitions {

	private final Map<MethodClassKey, Optional<MethodLocks>> known = new ConcurrentHashMap<>();

	/** A method is called through its class and through each interface that has it. */
	private final Map<LockedMethod, MethodLocks> plans = new ConcurrentHashMap<>();

	private final LockDefinitionReader reader;

	private final Supplier<Duration> waitTime;

	private volatile UnaryOperator<LockDefinitionException> report = UnaryOperator.identity();

	LockDefinitions(LockDefinitionReader reader, Supplier<Duration> waitTime) {
		this.reader = reader;
		this.waitTime = waitTime;
	}

	/**
	 * Find the definitions of a method.
	 * @param method the method as it is called
	 * @param type the class of the object that is called
	 * @return the definitions, nothing if the method is not to be locked
	 * @throws io.github.distlock.LockDefinitionException if it cannot work
	 */
	Optional<MethodLocks> find(Method method, Class<?> type) {
		try {
			return plan(method, type);
		}
		catch (LockDefinitionException ex) {
			throw this.report.apply(ex);
		}
	}

	/**
	 * Have calls of methods that cannot be locked fail with a report of all problems.
	 * @param report makes the report
	 */
	void reportWith(UnaryOperator<LockDefinitionException> report) {
		this.report = report;
	}

	private Optional<MethodLocks> plan(Method method, Class<?> type) {
		MethodClassKey key = new MethodClassKey(method, type);
		Optional<MethodLocks> plan = this.known.get(key);
		if (plan == null) {
			plan = read(LockAnnotationFinder.find(method, type));
			this.known.put(key, plan);
		}
		return plan;
	}

	private Optional<MethodLocks> read(List<LockAnnotationFinder> annotations) {
		if (annotations.isEmpty()) {
			return Optional.empty();
		}
		LockedMethod where = annotations.get(0).where();
		MethodLocks plan = this.plans.get(where);
		if (plan == null) {
			List<LockDefinition> locks = annotations.stream().map(this.reader::read).toList();
			plan = new MethodLocks(locks, FencingTokenParameter.check(where, locks.size()), this.waitTime);
			this.plans.put(where, plan);
		}
		return Optional.of(plan);
	}

	/**
	 * Read the definitions of all methods of a bean class, private ones included.
	 * @param beanClass the class
	 * @return the definitions, and what is wrong with others
	 */
	BeanLocks all(Class<?> beanClass) {
		List<LockDefinition> sound = new ArrayList<>();
		List<BeanLocks.Broken> broken = new ArrayList<>();
		MethodIntrospector
			.selectMethods(beanClass,
					(MethodIntrospector.MetadataLookup<LockAnnotationFinder>) (
							method) -> LockAnnotationFinder.find(method, beanClass).stream().findFirst().orElse(null))
			.keySet()
			.forEach((method) -> read(method, beanClass, sound, broken));
		return new BeanLocks(List.copyOf(sound), List.copyOf(broken));
	}

	private void read(Method method, Class<?> beanClass, List<LockDefinition> sound, List<BeanLocks.Broken> broken) {
		try {
			plan(method, beanClass).ifPresent((plan) -> sound.addAll(plan.locks()));
		}
		catch (LockDefinitionException ex) {
			List<LockAnnotationFinder> annotations = LockAnnotationFinder.find(method, beanClass);
			List<LockDefinitionException> problems = annotations.stream()
				.flatMap((annotation) -> this.reader.problems(annotation).stream())
				.toList();
			broken.add(new BeanLocks.Broken(
					new BeanLocks.Place(annotations.get(0).where(), annotations.get(0).annotated() == null),
					problems.isEmpty() ? List.of(ex) : problems));
		}
	}

}
