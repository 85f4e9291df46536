package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;

/**
 * All definitions that were read: each once.
 */
final class LockDefinitions {

	private final Map<MethodClassKey, Optional<LockPlan>> known = new ConcurrentHashMap<>();

	/** A method is called through its class and through each interface that has it. */
	private final Map<LockedMethod, LockPlan> plans = new ConcurrentHashMap<>();

	private final LockDefinitionReader reader;

	private final Supplier<Duration> waitTime;

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
	Optional<LockPlan> find(Method method, Class<?> type) {
		MethodClassKey key = new MethodClassKey(method, type);
		Optional<LockPlan> plan = this.known.get(key);
		if (plan == null) {
			plan = read(LockAnnotation.find(method, type));
			this.known.put(key, plan);
		}
		return plan;
	}

	private Optional<LockPlan> read(List<LockAnnotation> annotations) {
		if (annotations.isEmpty()) {
			return Optional.empty();
		}
		LockedMethod where = annotations.get(0).where();
		LockPlan plan = this.plans.get(where);
		if (plan == null) {
			List<LockDefinition> locks = annotations.stream().map(this.reader::read).toList();
			plan = new LockPlan(locks, TokenParameter.check(where, locks.size()), this.waitTime);
			this.plans.put(where, plan);
		}
		return Optional.of(plan);
	}

	/**
	 * Find the definitions of all methods of a bean class, private ones included.
	 * @param beanClass the class
	 * @return the definitions
	 */
	Collection<LockDefinition> all(Class<?> beanClass) {
		return MethodIntrospector
			.selectMethods(beanClass,
					(MethodIntrospector.MetadataLookup<LockPlan>) (method) -> find(method, beanClass).orElse(null))
			.values()
			.stream()
			.flatMap((plan) -> plan.locks().stream())
			.toList();
	}

}
